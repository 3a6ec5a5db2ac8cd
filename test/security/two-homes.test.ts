/**
 * Two sluice homes, each with a server of its own, that serve one repository: a person with two checkouts of their settings, a container beside its host. A starter chose the
 * same run id in both. An id names one run of a repository for ever, so the second is refused at any time of the first one's life, and nothing of the first is touched.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repoKeyOf } from '../../activities/git/refs/find-repository.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import type { CleanRunResult } from '../../protocol/actors/clean.js';
import { CLEAN_WORKFLOW, TASK_QUEUE } from '../../protocol/names.js';
import { endOf, type HeldRun, holdRun, openRoomyHost, PLAIN_END, tracesAfter } from '../support/held-run.js';
import { sideBySide } from '../support/side-by-side.js';
import type { TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

interface Case {
  /** What was done with the run of the first home before the second one asks for its id. */
  readonly before: (first: TestHost, held: HeldRun) => Promise<unknown>;
}

const CASES = {
  'while it is at work': { before: async () => undefined },
  'while it is at work, its branch removed by hand': {
    before: async (_first, { repository, branch }) => repository.git('update-ref', '-d', `refs/heads/${branch}`),
  },
  'once it is over': { before: endOf },
  'once it is over, with its branch and its worktree removed by hand': {
    before: async (first, held) => {
      await endOf(first, held);
      held.repository.git('worktree', 'remove', '--force', held.worktree);
      held.repository.git('branch', '-D', held.branch);
    },
  },
  'once it was cleaned': {
    before: async (first, held) => {
      await endOf(first, held);
      expect(await clean(first, held)).toMatchObject({ kind: 'cleaned' });
    },
  },
} as const satisfies Record<string, Case>;

type Name = keyof typeof CASES;

interface Asked {
  readonly held: HeldRun;
  readonly refusal: string;
  readonly cleaned: CleanRunResult;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

describe('a run id that another home took, in one repository', () => {
  let first: TestHost;
  let second: TestHost;
  let asked: ReadonlyMap<Name, Promise<Asked>>;

  beforeAll(async () => {
    [first, second] = await Promise.all([openRoomyHost(), openRoomyHost()]);
    asked = sideBySide(Object.keys(CASES) as Name[], 3, (name) => ask(first, second, name));
  }, LIMIT_MS);
  afterAll(async () => {
    await Promise.allSettled(asked.values());
    await Promise.all([first.close(), second.close()]);
  }, LIMIT_MS);

  it.each(Object.keys(CASES) as Name[])(
    'is refused %s; branch, refs, worktree and files of the first stay as they are, also when the second home cleans that id',
    async (name) => {
      const found = await asked.get(name);

      expect(found?.refusal).toMatch(/^RunExists: [\s\S]*(?:Nothing was changed|Nothing was started)/);
      expect(found?.cleaned).toEqual({ kind: 'cleaned', removed: [] });
      expect(found?.after).toEqual(found?.before);
    },
    LIMIT_MS,
  );

  it(
    'is refused while it is at work, and that run ends as it would have',
    async () => {
      const found = await asked.get('while it is at work');
      if (found === undefined) throw new Error('it was not asked');
      await found.held.letGo();

      expect(await tracesAfter(first, found.held)).toMatchObject(PLAIN_END);
    },
    LIMIT_MS,
  );
});

async function ask(first: TestHost, second: TestHost, name: Name): Promise<Asked> {
  const held = await holdRun(first, 'at a gate', { attended: false });
  const { repository, run } = held;
  await addRepository(second.home, repository.path);
  await trustConfig(second.home, repository.path, repository.configText);
  await CASES[name].before(first, held);
  const before = lookAt(held);
  const again = await second.startRun(repository, { runId: run.runId, attended: false });
  const isRunning = async () => (await again.handle.describe()).status.name === 'RUNNING';
  await until(async () => !(await isRunning()) || (await again.view()).status === 'waiting_for_approval', LIMIT_MS);
  const refusal = (await isRunning())
    ? 'it ran, up to its gate'
    : await again.result().then(({ outcome }) => `it ran: ${outcome}`, refusalIn);
  return { held, refusal, cleaned: await clean(second, held), before, after: lookAt(held) };
}

function refusalIn(error: unknown): string {
  const { cause, type, message } = error as { cause?: unknown; type?: string; message?: string };
  return type === 'RunExists' ? `${type}: ${message}` : cause === undefined ? String(error) : refusalIn(cause);
}

async function clean(host: TestHost, { run, repository }: HeldRun): Promise<CleanRunResult> {
  const repoKey = repoKeyOf(host.hostId, realpathSync(join(repository.path, '.git')));
  const input = { hostId: host.hostId, run: { runId: run.runId, repoKey }, giveUp: true };
  const workflowId = `clean:${run.runId}`;
  const answer: unknown = await host.client.workflow.execute(CLEAN_WORKFLOW, {
    workflowId,
    taskQueue: TASK_QUEUE,
    args: [input],
  });
  return answer as CleanRunResult; // The workflow type `clean` answers this.
}

/** Everything of the run that is in the repository or that a person reads, and the files of its worktree. */
function lookAt({ repository, run, worktree }: HeldRun): readonly string[] {
  const admin = join(repository.path, '.git/worktrees');
  return [
    repository.git('for-each-ref'),
    repository.git('worktree', 'list', '--porcelain'),
    ...[admin, run.runDir, worktree].map((folder) => (existsSync(folder) ? sumsOf(folder) : `no ${folder}`)),
  ];
}

function sumsOf(folder: string): string {
  return execFileSync('sh', ['-c', 'find . -type f ! -name index -exec sha256sum {} + | sort -k2'], {
    cwd: folder,
    encoding: 'utf8',
  });
}
