/**
 * Moves and removes the run's own branch and what lies below `refs/sluice/`, by compare-and-swap in one transaction, on the real repository; of other refs
 * only the base of a landing. `no-deref`: a branch that an agent made a symbolic ref of somebody else's is replaced, not followed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Identity, Repository } from '../start/contract.js';
import { isRepositoryBusy } from '../start/repository-busy.js';
import { GitError, ON_REAL_REPOSITORY, runGit } from '../start/run-git.js';
import { removeStaleLocks, STALE_AFTER_MS } from '../start/stale-ref-lock.js';
import { followRef, readRef } from './read-ref.js';

const MAX_TRIES = 10;
const RETRY_WAIT_MS = 25;

export interface RefMove {
  readonly ref: string;
  /** Null: it is removed. */
  readonly to: string | null;
  /** What the ref must stand at; null: it must not exist; undefined: whatever. */
  readonly from?: string | null;
  /** A person's: a symbolic one is followed, and a lock on it stays. */
  readonly isForeign?: true;
}

/**
 * All moves or none; `swapped_by_other` if a `from` was not met. A lock that a killed git left on one of our refs is removed after `staleAfterMs`.
 * Errors: `GitError` if the repository stays busy or cannot be written.
 */
export async function moveRefs(
  repository: Repository,
  moves: readonly RefMove[],
  { identity, staleAfterMs = STALE_AFTER_MS }: { readonly identity: Identity | null; readonly staleAfterMs?: number },
): Promise<'moved' | 'swapped_by_other'> {
  const zero = '0'.repeat((moves[0]?.to ?? moves[0]?.from)?.length ?? 40);
  const lines = moves.map(
    ({ ref, to, from, isForeign }) =>
      `${isForeign ? '' : 'option no-deref\0'}update ${ref}\0${to ?? zero}\0${from === undefined ? '' : (from ?? zero)}\0`,
  );
  const input = `start\0${lines.join('')}prepare\0commit\0`;
  const env = identity === null ? {} : { GIT_COMMITTER_NAME: identity.name, GIT_COMMITTER_EMAIL: identity.email };
  for (let tries = 1; ; tries += 1) {
    try {
      await runGit([...ON_REAL_REPOSITORY, 'update-ref', '-z', '--stdin', '-m', 'sluice'], {
        gitDir: repository.commonDir,
        input,
        env,
      });
      return 'moved';
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      if (await unmet(repository, moves)) return 'swapped_by_other';
      if (!isRepositoryBusy(error)) throw error;
      if (tries === MAX_TRIES)
        await removeStaleLocks(
          repository.commonDir,
          moves.flatMap(({ ref, isForeign }) => (isForeign ? [] : [ref])),
          staleAfterMs,
        );
      if (tries > MAX_TRIES) throw error;
      await delay(RETRY_WAIT_MS * tries * (0.5 + Math.random()));
    }
  }
}

/** Keeps a head that is about to be left, as `refs/sluice/<runId>/reset-<n>`, the first free n. */
export async function chooseResetRef(repository: Repository, headRef: string): Promise<string> {
  const prefix = headRef.replace(/head$/, 'reset-');
  for (let n = 1; ; n += 1) if ((await readRef(repository.commonDir, `${prefix}${n}`)) === null) return `${prefix}${n}`;
}

async function unmet(repository: Repository, moves: readonly RefMove[]): Promise<boolean> {
  for (const { ref, from } of moves)
    if (from !== undefined && (await followRef(repository.commonDir, ref)) !== from) return true;
  return false;
}
