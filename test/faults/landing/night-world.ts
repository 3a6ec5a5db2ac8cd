/** What a night of landings begins with: closed runs, a head each, their bases, and a person's three dirty checkouts. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { RUN_WORKFLOW, TASK_QUEUE } from '../../../protocol/names.js';
import type { ChaosHome } from '../../chaos/matrix/chaos-home.js';
import { git, lookAtCheckout } from '../../chaos/matrix/landing/world.js';
import { QUEUED_RUNS } from '../../support/queued-repository.js';
import type { TestRepository } from '../../support/test-repository.js';
import { BASE_IN_USE, BASES, type NightPlan, type PlannedBranch } from './plan.js';

export interface NightHead {
  readonly runId: string;
  readonly head: string;
  readonly base: string;
}

export interface NightWorld {
  readonly repository: TestRepository;
  readonly start: string;
  /** In the order in which they are asked for. */
  readonly heads: readonly NightHead[];
  /** The first stands on a branch of nobody's landings, the second on the base that is in use, the third on a branch of its own. */
  readonly checkouts: readonly [string, string, string];
}

/** No two files of one group may be in a tree. */
export const CHECK = `test -z "$(ls | sed -n 's/^red-\\([0-9]*\\)-.*/\\1/p' | sort | uniq -d)"`;

/** Runs that are at work at once. */
const AT_ONCE = 20;

const CONFIG = `  own: {adapter: command, command: sh, args: [agent.sh]}
sandbox: off
limits: { heartbeat: 3s }
landing: { conflict: gate }
stageList: [executing, validating]
stages: { executing: { agent: own } }
validation:
  commands: [${JSON.stringify(CHECK)}]
`;

export async function makeNightWorld(place: ChaosHome, client: Client, plan: NightPlan): Promise<NightWorld> {
  const repository = await place.repository({ ...QUEUED_RUNS, config: CONFIG });
  mkdirSync(join(place.folder, 'person'));
  const start = repository.git('rev-parse', 'main').trim();
  for (const base of BASES) repository.git('branch', base, 'main');
  const heads = await makeHeads(repository, client, plan.branches);
  return { repository, start, heads, checkouts: makeCheckouts(place, repository) };
}

async function makeHeads(
  { path: repo }: TestRepository,
  client: Client,
  branches: readonly PlannedBranch[],
): Promise<readonly NightHead[]> {
  const waiting = branches.map((branch, index) => ({ branch, index }));
  const heads: NightHead[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { branch, index } = next;
      const args = [{ task: taskOf(branch), repo, attended: false }];
      const workflowId = `night-${branch.name}`;
      const handle = await client.workflow.start(RUN_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args });
      const { outcome, source } = (await handle.result()) as RunResult; // Runs answer this.
      if (outcome !== 'merge_ready' || source === null) throw new Error(`${workflowId} ended ${outcome}`);
      heads[index] = { runId: workflowId, head: source.head, base: branch.base };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return heads;
}

function taskOf({ kind, group, name }: PlannedBranch): string {
  const file = { alone: null, conflict: `clash-${group}.txt`, red: `red-${group}-${name}.txt` }[kind];
  return file === null ? 'write a file' : `write a file\ndo: echo ${name} > ${file}`;
}

function makeCheckouts(place: ChaosHome, repository: TestRepository): NightWorld['checkouts'] {
  const [inUse, elsewhere] = [join(place.folder, 'in-use'), join(place.folder, 'elsewhere')];
  repository.git('worktree', 'add', '-q', inUse, BASE_IN_USE);
  repository.git('worktree', 'add', '-q', '-b', 'elsewhere', elsewhere, 'main');
  repository.write('a.txt', 'stashed\n');
  repository.git('stash', 'push', '-q', '-m', 'of the person');
  for (const folder of [repository.path, inUse, elsewhere]) {
    writeFileSync(join(folder, 'staged.txt'), 'dirty and staged\n');
    git(folder, 'add', 'staged.txt');
    writeFileSync(join(folder, 'a.txt'), 'dirty\n');
    writeFileSync(join(folder, 'notes.txt'), 'untracked\n');
  }
  return [repository.path, inUse, elsewhere];
}

/** Its files, what git says of it, its index to the byte, and the stash. */
export function lookAtAll(folder: string): ReadonlyMap<string, string> {
  const index = resolve(folder, git(folder, 'rev-parse', '--git-path', 'index'));
  return new Map([
    ['index', existsSync(index) ? readFileSync(index, 'latin1') : 'none'],
    ['stash', git(folder, 'stash', 'list', '--format=%H')],
    ...lookAtCheckout(folder),
  ]);
}
