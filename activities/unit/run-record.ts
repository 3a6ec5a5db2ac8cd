/**
 * What openRun froze for a run on this host: its policy, repository and environment. Later activities read it by run and never from the repository.
 * The environment lies apart (0600) and is never copied into a payload, the journal or a log.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../../config/home/home.js';
import { codeOf } from '../../config/system/error-code.js';
import { bytesOf, readForeignFileSync } from '../../config/system/foreign-file.js';
import type { FrozenRunRef, ResumedRun, RunInput, RunRef } from '../../protocol/messages/messages.js';
import { headRefOf } from '../../protocol/names.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { Repository } from '../git/start/contract.js';
import { isAnothers } from '../git/worktree/owner-mark.js';
import { type Durability, MAX_MARK_BYTES, readJson, writeMark } from '../process/marks.js';
import type { SandboxChoice } from '../sandbox/choose-sandbox.js';
import { runChanged, runCleaned, worktreeTaken } from './run-failures.js';
import type { StageEntry } from './stage-progress.js';
import { openWorkplace, type RunWorkplace, type Workplace } from './workplace.js';

export const RUN_RECORD_FILE = 'run.json';
const ENVIRONMENT_FILE = 'env';

export interface FormerRun {
  readonly runId: string;
  /** The workflow chain that owned it. */
  readonly owner: string;
}

export interface RunRecord {
  readonly version: 1;
  readonly runId: string;
  readonly repoKey: string;
  readonly workflowId: string;
  /** The workflow chain that owns this run; another one never takes it over. */
  readonly firstExecutionRunId: string;
  readonly input: RunInput;
  readonly repository: Repository;
  readonly worktree: string;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseSha: string;
  /** Absolute. */
  readonly runDir: string;
  readonly startedAt: string;
  readonly policy: Policy;
  /** SHA-256 of the project's config text that may start programs for this run; null: none may. */
  readonly trustedConfig: string | null;
  /** Decided when the run opened, for all of it. */
  readonly sandbox: SandboxChoice;
  /** The run of the same item before it, whose branch and worktree it took over. Where it is missing they are its own. */
  readonly takenFrom?: FormerRun;
  /** What was taken over from an earlier run; null: nothing, the run begins at the beginning. */
  readonly rewound: { readonly resumed: ResumedRun; readonly inherited: readonly StageEntry[] } | null;
}

/** `At`: where its work is done; a landing's is its queue's. */
export interface RunOnHost<At extends Workplace = RunWorkplace> {
  readonly record: RunRecord;
  /** `<home>/state/<repoKey>/<runId>`. */
  readonly stateDir: string;
  readonly workplace: At;
}

/** The owner of a run that was cleaned. Never a workflow's run id. */
export const NOBODY = 'cleaned';

export function isBuried(record: RunRecord): boolean {
  return record.firstExecutionRunId === NOBODY;
}

/** What decides later activities, relative to the state folder; none of it is written again once the run is open. */
const FROZEN_FILES = [RUN_RECORD_FILE, ENVIRONMENT_FILE, 'git/config', 'git/info/attributes'] as const;

/**
 * SHA-256 over what the run was opened with. The workflow keeps it, so that an agent which edits these files on its host, to weaken a policy or
 * to choose the checks' PATH, is found out at the next activity. It is no protection of the worker itself from code of the same user.
 */
export function frozenHash(stateDir: string): string {
  const hash = createHash('sha256');
  for (const name of FROZEN_FILES) {
    const reading = readForeignFileSync(join(stateDir, name), { maxBytes: MAX_MARK_BYTES });
    hash.update(`\0${name}\0`).update(bytesOf(reading) ?? '');
  }
  return hash.digest('hex');
}

/**
 * Errors: RunExists if the run was cleaned, for a reset of it goes on with nothing; RunChanged if it is not what the workflow opened; plain Error if it was never opened here, which a
 * workflow cannot get to.
 */
export function readRun(home: HomePaths, ref: FrozenRunRef): RunOnHost {
  const run = readRunToTell(home, ref);
  if (isBuried(run.record)) throw runCleaned(ref.runId);
  assertFrozen(run, ref);
  return run;
}

/** Of what writes in the worktree. Errors: RunExists too where a later run has taken it over, as that of a reset of the run. */
export async function readRunToWrite(home: HomePaths, ref: FrozenRunRef): Promise<RunOnHost> {
  const run = readRun(home, ref);
  const { worktree, firstExecutionRunId } = run.record;
  if (await isAnothers(worktree, firstExecutionRunId)) throw worktreeTaken(ref.runId);
  return run;
}

/** Asked again once an agent has ended: what it did to the private git dir must not choose a program of the engine's git. Errors: RunChanged. */
export function assertFrozen({ stateDir }: RunOnHost, { runId, frozen }: FrozenRunRef): void {
  if (frozen !== frozenHash(stateDir)) throw runChanged(runId, stateDir);
}

/** For what people are told of a run, its end above all: a cleaned run too. */
export function readRunToTell(home: HomePaths, ref: RunRef): RunOnHost {
  const stateDir = home.stateDir(ref.repoKey, ref.runId);
  const record = findRunRecord(stateDir);
  if (record === null)
    throw new Error(
      `run ${ref.runId} has no record on this host: ${join(stateDir, RUN_RECORD_FILE)} is missing or damaged`,
    );
  return locateRun(home, record, readEnvironment(stateDir));
}

export function findRunRecord(stateDir: string): RunRecord | null {
  const value = readJson(join(stateDir, RUN_RECORD_FILE));
  // Written by claimRun alone, below the sluice home; the version vouches for the shape.
  return value !== null && value['version'] === 1 ? (value as unknown as RunRecord) : null;
}

/**
 * Takes the run for its workflow chain. Answers the record that stands there afterwards: another chain's, if it was first.
 * A link is made by one process only, and the file is whole when it appears.
 */
export function claimRun(stateDir: string, record: RunRecord, durability: Durability): RunRecord {
  const temporary = join(stateDir, `${RUN_RECORD_FILE}.${randomUUID()}`);
  writeMark(temporary, JSON.stringify(record), durability);
  try {
    linkSync(temporary, join(stateDir, RUN_RECORD_FILE));
  } catch (err) {
    if (codeOf(err) !== 'EEXIST') throw err;
  } finally {
    rmSync(temporary, { force: true });
  }
  return findRunRecord(stateDir) ?? record;
}

/**
 * Gives up a run whose branch or worktree turned out to be somebody else's, so that a refused start leaves nothing.
 * A run that once had its worktree keeps everything: its environment was written after that.
 */
export function releaseRun(stateDir: string): void {
  if (hasEnvironment(stateDir)) return;
  rmSync(stateDir, { recursive: true, force: true });
}

/** Written once the run has its worktree. */
export function hasEnvironment(stateDir: string): boolean {
  return existsSync(join(stateDir, ENVIRONMENT_FILE));
}

export function writeEnvironment(
  stateDir: string,
  env: Readonly<Record<string, string>>,
  durability: Durability,
): void {
  writeMark(join(stateDir, ENVIRONMENT_FILE), JSON.stringify(env), durability);
}

/** The commit that the run's branch is cut at; its diff is against `baseSha` all the same. */
export function startOf({ baseSha, rewound }: RunRecord): string {
  return rewound?.resumed.commit ?? baseSha;
}

/** The run of a record, and where it works. `env`: with it commands are started and values are redacted. Effects: none. */
export function locateRun(home: HomePaths, record: RunRecord, env: Readonly<Record<string, string>> = {}): RunOnHost {
  const { repository, worktree, branch, baseBranch, runId, firstExecutionRunId: owner } = record;
  const workplace = openWorkplace(home, { ...record, name: runId, owner, env });
  const { stateDir } = workplace;
  const gitDir = privateGitDirOf(stateDir);
  const git = { repository, worktree, branch, baseBranch, gitDir, headRef: headRefOf(runId) };
  return { record, stateDir, workplace: { ...workplace, git } };
}

export function privateGitDirOf(stateDir: string): string {
  return join(stateDir, 'git');
}

function readEnvironment(stateDir: string): Record<string, string> {
  const value = readJson(join(stateDir, ENVIRONMENT_FILE)) ?? {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
