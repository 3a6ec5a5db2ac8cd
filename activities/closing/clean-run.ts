/**
 * Gives back what a closed run keeps on its host: branch and refs, worktree, validation checkout, private git dir, turns and artifacts; then what merge queues that are over left in its
 * repository. Effects: only below the sluice home, the run's own refs and those of the queues; `.sluice/runs/<runId>` stays for people. Refused where work would be lost or is being landed.
 * Idempotency: refs first, all or none; the record last, by a tombstone that keeps the run's id taken. Whatever a kill leaves, the next call finishes:
 * a mark says that the removal was decided. What is only here is looked at and its refs go under the repository's lock, so that of two runs
 * that hold the same commits the second one sees that the first is gone.
 * Cancel: what was begun is finished.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSerializer } from '../../config/system/serialize.js';
import type { CleanRunInput, CleanRunResult } from '../../protocol/actors/clean.js';
import { runIdOfLanding } from '../../protocol/names.js';
import { deleteRefs, listRunRefs, type RunNames, type SeenRef } from '../git/refs/run-refs.js';
import { withRepositoryLock } from '../git/start/repository-lock.js';
import { isAnothers } from '../git/worktree/owner-mark.js';
import { removeFolder, removeWorktree } from '../git/worktree/remove-worktree.js';
import { attend } from '../unit/attend.js';
import { CLEANING_FILE, dropCleaningMark, markCleaning } from '../unit/cleaning-mark.js';
import { CLOSED_FILE, isClosedOnHost } from '../unit/closed-mark.js';
import type { HostDeps } from '../unit/host-deps.js';
import { findRunRecord, isBuried, locateRun, RUN_RECORD_FILE, type RunOnHost } from '../unit/run-record.js';
import { buryRecord } from '../unit/run-tombstone.js';
import { cleanQueues } from './clean-queues.js';
import { branchMoved, landingOpen, recordDamaged, whyKept } from './clean-refusal.js';
import { removeCheckout } from './give-back-room.js';
import { landingsOf } from './run-landings.js';

const serialize = createSerializer();

export function createCleanRun(deps: HostDeps): (input: CleanRunInput) => Promise<CleanRunResult> {
  return (input) =>
    attend(deps, randomUUID(), () => serialize(`${input.run.repoKey}/${input.run.runId}`, () => cleanRun(deps, input)));
}

async function cleanRun(deps: HostDeps, { run: ref, giveUp }: CleanRunInput): Promise<CleanRunResult> {
  const stateDir = deps.home.stateDir(ref.repoKey, ref.runId);
  const record = findRunRecord(stateDir);
  if (record === null)
    return existsSync(stateDir) ? recordDamaged(ref.runId, stateDir) : { kind: 'cleaned', removed: [] };
  const run = locateRun(deps.home, record);
  // What a reset of the cleaned run left: its turns are refused, and its end is written.
  if (isBuried(record)) return { kind: 'cleaned', removed: await removeState(run, [RUN_RECORD_FILE, CLOSED_FILE]) };
  // A landing that starts after this is told that the run was cleaned.
  for (const landing of landingsOf(record))
    if (await deps.isOpen(landing, null)) return { kind: 'kept', why: landingOpen(run, runIdOfLanding(landing)) };
  // A closed run has no turn any more; a process that it left behind would write into what is being removed.
  if (isClosedOnHost(stateDir)) await deps.processes.endGroup(run.workplace.group, 'aborted');
  const own = await namesOf(run);
  const refs = await withRepositoryLock(record.repository.commonDir, () => takeRefs(deps, { run, own, giveUp }));
  if (refs.kind === 'kept') return refs;
  const removed = [...refs.removed, ...(await removeFolders(deps, run, own)), ...(await cleanQueues(deps, run))];
  buryRecord(stateDir, record, deps.durability);
  dropCleaningMark(stateDir);
  return { kind: 'cleaned', removed };
}

/** Of a run whose branch a later one of its item took over that stays, and so does the worktree. */
async function namesOf({ record }: RunOnHost): Promise<RunNames> {
  const isTaken = await isAnothers(record.worktree, record.firstExecutionRunId);
  return isTaken ? { ...record, branch: null } : record;
}

interface Given {
  readonly run: RunOnHost;
  readonly own: RunNames;
  readonly giveUp: boolean;
}

async function takeRefs({ durability }: HostDeps, { run, own, giveUp }: Given): Promise<CleanRunResult> {
  const { repository } = run.record;
  // A repository that is gone has taken its refs along.
  const refs = existsSync(repository.commonDir) ? await listRunRefs(own) : [];
  const why = await whyKept(run, own, giveUp);
  if (why !== null) return { kind: 'kept', why };
  markCleaning(run.stateDir, durability);
  // Seen before it was asked what they hold: one that moved since is not removed unasked.
  if ((await deleteRefs(repository, refs)) === 'deleted') return { kind: 'cleaned', removed: refs.map(wordsOf) };
  dropCleaningMark(run.stateDir);
  return { kind: 'kept', why: branchMoved(run) };
}

function wordsOf({ ref, sha }: SeenRef): string {
  return `${ref.replace(/^refs\/heads\//, 'branch ')} (was ${sha.slice(0, 12)})`;
}

async function removeFolders({ home }: HostDeps, run: RunOnHost, own: RunNames): Promise<readonly string[]> {
  const { repository, repoKey, runId, worktree } = run.record;
  const validation = home.validationWorktree(repoKey, runId);
  const removed: string[] = [];
  if (own.branch !== null && (await removeWorktree(repository.commonDir, worktree)))
    removed.push(`worktree ${worktree}`);
  if (await removeCheckout({ stateDir: run.stateDir, checkout: validation }))
    removed.push(`validation checkout ${validation}`);
  return [...removed, ...(await removeState(run, [RUN_RECORD_FILE, CLOSED_FILE, CLEANING_FILE]))];
}

async function removeState({ stateDir }: RunOnHost, kept: readonly string[]): Promise<readonly string[]> {
  const entries = readdirSync(stateDir).filter((name) => !kept.includes(name));
  for (const name of entries) await removeFolder(join(stateDir, name));
  return entries.length > 0 ? [`turns, artifacts and private git dir in ${stateDir}`] : [];
}
