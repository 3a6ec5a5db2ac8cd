/** What the cells of one home share: two closed runs whose heads land in each cell anew, on a base of the cell's own. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunResult } from '../../../../protocol/messages/messages.js';
import { RUN_WORKFLOW, TASK_QUEUE } from '../../../../protocol/names.js';
import { QUEUED_RUNS } from '../../../support/queued-repository.js';
import type { TestRepository } from '../../../support/test-repository.js';
import type { LandingCourse } from '../cells.js';
import type { ChaosHome } from '../chaos-home.js';

export interface World {
  readonly repository: TestRepository;
  /** Closed, with a head each. */
  readonly runs: readonly string[];
  readonly heads: readonly string[];
  readonly expectedTree: string;
  /** Of a person's command line: the git in front obeys failpoints. */
  readonly env: Readonly<Record<string, string>>;
}

export interface CellBase {
  readonly branch: string;
  /** Of the person; all but the first, which stands elsewhere, is on the base. */
  readonly checkouts: readonly string[];
}

const PERSON_GIT = fileURLToPath(new URL('../../person-git.mjs', import.meta.url));

const worlds = new WeakMap<ChaosHome, Promise<World>>();

/** Made once a home. */
export function worldOf(place: ChaosHome): Promise<World> {
  const world = worlds.get(place) ?? makeWorld(place);
  worlds.set(place, world);
  return world;
}

async function makeWorld(place: ChaosHome): Promise<World> {
  const repository = await place.repository(QUEUED_RUNS);
  const closed = await closeRuns(place, repository, ['write a file', 'write another']);
  const [first = '', second = ''] = closed.heads;
  const expectedTree = repository.git('merge-tree', '--write-tree', first, second).trim();
  return { repository, ...closed, expectedTree, env: personEnv(place) };
}

/** One run for each task, to its end; then the person has something in their checkout. */
export async function closeRuns(
  place: ChaosHome,
  repository: TestRepository,
  tasks: readonly string[],
): Promise<Pick<World, 'runs' | 'heads'>> {
  const client = await place.up();
  const results: RunResult[] = [];
  for (const task of tasks) {
    const workflowId = `chaos-${randomUUID().slice(0, 8)}`;
    const args = [{ task, repo: repository.path, attended: false }];
    const handle = await client.workflow.start(RUN_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args });
    results.push((await handle.result()) as RunResult); // Runs answer this.
  }
  writeFileSync(join(repository.path, 'a.txt'), 'dirty\n');
  return { heads: results.map(({ source }) => source?.head ?? 'none'), runs: results.map(({ runId }) => runId) };
}

export function makeBase({ repository }: World, place: ChaosHome, course: LandingCourse): CellBase {
  const branch = `base-${randomUUID().slice(0, 8)}`;
  repository.git('branch', branch, 'main');
  if (course === 'base-free') return { branch, checkouts: [repository.path] };
  const checkout = join(place.folder, branch);
  repository.git('worktree', 'add', '-q', checkout, branch);
  writeFileSync(join(checkout, 'a.txt'), 'dirty too\n');
  writeFileSync(join(checkout, 'notes.txt'), 'untracked\n');
  return { branch, checkouts: [repository.path, checkout] };
}

/** Each file of a checkout with its bytes, and what git says of it. */
export function lookAtCheckout(folder: string): ReadonlyMap<string, string> {
  const seen = new Map<string, string>([['HEAD', git(folder, 'symbolic-ref', 'HEAD')]]);
  seen.set('status', git(folder, 'status', '--porcelain'));
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const isOwn = !path.startsWith(join(folder, '.git')) && !path.startsWith(join(folder, '.sluice'));
    if (entry.isFile() && isOwn) seen.set(path, readFileSync(path, 'latin1'));
  }
  return seen;
}

/** `more`: what was not there before may be there. */
export function countChanged(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): number {
  return [...before].filter(([name, text]) => now.get(name) !== text).length;
}

export function git(cwd: string, ...args: readonly string[]): string {
  // A look at a checkout writes nothing into it.
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  return execFileSync('git', [...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

function personEnv(place: ChaosHome): Readonly<Record<string, string>> {
  const { home, folder } = place;
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  mkdirSync(join(folder, 'person'));
  const path = join(bin, 'git');
  const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  // The command line gives git an environment of its own; only what takes a chain is tried.
  const script = `case " $* " in *" --ff-only "*) exec '${process.execPath}' '${PERSON_GIT}' '${home}' '${real}' "$@" ;; esac`;
  writeFileSync(path, `#!/bin/sh\n${script}\nexec '${real}' "$@"\n`);
  chmodSync(path, 0o755);
  return { ...commandEnv(place), PATH: `${bin}:${process.env['PATH'] ?? ''}` };
}

/** Of a person's command line. `person` below the folder is there. */
export function commandEnv({ home, folder }: ChaosHome): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'person'),
    SLUICE_HOME: home,
    // The server of this machine is found there, and none is built for a person whose engine is dead.
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    SLUICE_TEMPORAL_CLI: process.env['SLUICE_TEMPORAL_CLI'] ?? '',
    SLUICE_TEMPORAL_DOWNLOAD: 'off',
  };
}
