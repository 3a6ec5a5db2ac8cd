/**
 * Heads that a run's answer does not name, which land by a person's word alone: what somebody mended on the branch of a closed run, and what is kept of a run that ended without an answer.
 * Effects: none. Each is read from the refs of this host when it is asked for, and again when it lands.
 */
import { readdir } from 'node:fs/promises';
import type { HomePaths } from '../../config/home/home.js';
import { codeOf } from '../../config/system/error-code.js';
import type { FindKeptResult } from '../../protocol/actors/landing.js';
import { headRefOf } from '../../protocol/names.js';
import { isRunId } from '../../protocol/run/run-id.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import type { HostDeps } from '../unit/host-deps.js';
import { findRunRecord, frozenHash, isBuried, type RunRecord } from '../unit/run-record.js';

interface Mended {
  /** Of the run's answer. */
  readonly head: string;
  /** Where its base stands. */
  readonly base: string;
}

/** The tip of the run's branch where that holds both: what was pushed there later, without the base, is nobody's mending. Null: there is none. */
export async function findMended(
  { repository, branch }: Pick<RunRecord, 'repository' | 'branch'>,
  { head, base }: Mended,
): Promise<string | null> {
  const tip = await readRef(repository.commonDir, `refs/heads/${branch}`);
  if (tip === null || tip === head) return null;
  for (const part of [head, base]) if ((await readAncestry(repository, part, tip)) !== 'ancestor') return null;
  return tip;
}

/** Null: nothing, or nothing but what it began at. */
export async function readKept({ repository, runId, baseSha }: RunRecord): Promise<string | null> {
  const kept = await readRef(repository.commonDir, headRefOf(runId));
  return kept === baseSha ? null : kept;
}

export function createFindKept({ home, hostId }: Pick<HostDeps, 'home' | 'hostId'>) {
  return async (runId: string): Promise<FindKeptResult> => {
    const record = isRunId(runId) ? await recordOf(home, runId) : null;
    if (record === null) return { kind: 'none', why: `the host ${hostId} has no record of the run ${runId}` };
    if (isBuried(record))
      return { kind: 'none', why: `the run ${runId} was cleaned: its branch and its commits are gone` };
    const head = await readKept(record);
    if (head === null) return { kind: 'none', why: `the run ${runId} left no commit of its own` };
    const { repoKey, baseBranch: branch, baseSha: sha } = record;
    const frozen = frozenHash(home.stateDir(repoKey, runId));
    return { kind: 'kept', source: { host: hostId, repoKey, frozen, base: { branch, sha }, head, evidence: null } };
  };
}

/** The run is looked for in each repository that this host has worked in. */
async function recordOf(home: HomePaths, runId: string): Promise<RunRecord | null> {
  for (const repoKey of await readdir(home.stateRoot).catch(noneIfGone)) {
    const record = findRunRecord(home.stateDir(repoKey, runId));
    if (record !== null) return record;
  }
  return null;
}

function noneIfGone(error: unknown): readonly string[] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}
