/**
 * Gives back what a closed run keeps on its host: branch and refs, worktree, validation checkout, private git dir, turns and artifacts.
 * Effects: only below the sluice home and the run's own refs; `.sluice/runs/<runId>` stays for people. Refused where work would be lost.
 * Idempotency: refs first, all or none; the record last, by a tombstone that keeps the run's id taken. Whatever a kill leaves, the next call finishes.
 * Cancel: what was begun is finished.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CleanRunInput, CleanRunResult } from '../../protocol/clean.js';
import { removeFolder, removeWorktree } from '../git/remove-worktree.js';
import { deleteRefs, listRunRefs } from '../git/run-refs.js';
import { createSerializer } from '../journal/serialize.js';
import { attend } from './attend.js';
import { branchMoved, whyKept } from './clean-refusal.js';
import { CLOSED_FILE } from './closed-mark.js';
import type { HostDeps } from './host-deps.js';
import { groupOf } from './run-command-line.js';
import { findRunRecord, RUN_RECORD_FILE, type RunOnHost } from './run-record.js';
import { buryRecord, isBuried } from './run-tombstone.js';

const serialize = createSerializer();

export function createCleanRun(deps: HostDeps): (input: CleanRunInput) => Promise<CleanRunResult> {
  return (input) =>
    attend({ token: randomUUID(), attempts: deps.attempts, isOpen: deps.isOpen }, () =>
      serialize(`${input.run.repoKey}/${input.run.runId}`, () => cleanRun(deps, input)),
    );
}

const NOTHING_LEFT: CleanRunResult = { kind: 'cleaned', removed: [] };

async function cleanRun(deps: HostDeps, { run: ref, giveUp }: CleanRunInput): Promise<CleanRunResult> {
  const stateDir = deps.home.stateDir(ref.repoKey, ref.runId);
  const record = findRunRecord(stateDir);
  if (record === null || isBuried(record)) return NOTHING_LEFT;
  const run: RunOnHost = { record, stateDir, env: {} };
  const why = await whyKept(run, giveUp);
  if (why !== null) return { kind: 'kept', why };
  // A closed run has no turn any more; a process that it left behind would write into what is being removed.
  await deps.processes.endGroup(groupOf(run), 'aborted');
  const refs = await removeRefs(run);
  if (refs === 'moved') return { kind: 'kept', why: branchMoved(run) };
  const removed = [...refs, ...(await removeFolders(deps, run))];
  buryRecord(stateDir, record, deps.durability);
  return { kind: 'cleaned', removed };
}

/** Answers what went, in words for people. A repository that is gone has taken its refs along. */
async function removeRefs({ record }: RunOnHost): Promise<readonly string[] | 'moved'> {
  if (!existsSync(record.repository.commonDir)) return [];
  const refs = await listRunRefs(record.repository, record.runId);
  if ((await deleteRefs(record.repository, refs)) === 'moved') return 'moved';
  return refs.map(({ ref, sha }) => `${ref.replace(/^refs\/heads\//, 'branch ')} (was ${sha.slice(0, 12)})`);
}

async function removeFolders({ home }: HostDeps, { record, stateDir }: RunOnHost): Promise<readonly string[]> {
  const { repository, repoKey, runId, worktree } = record;
  const validation = home.validationWorktree(repoKey, runId);
  const removed: string[] = [];
  if (await removeWorktree(repository.commonDir, worktree)) removed.push(`worktree ${worktree}`);
  if (await removeFolder(validation)) removed.push(`validation checkout ${validation}`);
  const kept = [RUN_RECORD_FILE, CLOSED_FILE];
  const entries = readdirSync(stateDir).filter((name) => !kept.includes(name));
  for (const name of entries) await removeFolder(join(stateDir, name));
  if (entries.length > 0) removed.push(`turns, artifacts and private git dir in ${stateDir}`);
  return removed;
}
