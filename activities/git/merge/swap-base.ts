/**
 * Moves a base, which is a person's branch, together with refs of the engine's own that say what it was moved for. Nothing moves while a checkout uses the base: its files
 * would seem to undo what landed. Git has no way to hold others off meanwhile, so all is looked at once more afterwards.
 */

import { followName, followRef } from '../refs/read-ref.js';
import { moveRefs, type RefMove } from '../refs/run-branch.js';
import { type BranchUse, findBranchUse } from '../refs/run-refs.js';
import type { Identity, Repository } from '../start/contract.js';
import { isRepositoryBusy } from '../start/repository-busy.js';

const BRANCHES = 'refs/heads/';

export interface BaseSwap {
  /** Short, as `findLandingBase` answers it; a symbolic one moves what it points to. */
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** Below `refs/sluice/`, in the same transaction. */
  readonly with: readonly RefMove[];
  /** For the reflog. */
  readonly identity: Identity;
}

export type BaseSwapOutcome =
  /** `use`: of a checkout that came between, whose files are those of before; null: there is none. */
  | { readonly kind: 'swapped'; readonly use: BranchUse | null }
  | { readonly kind: 'in_use'; readonly use: BranchUse }
  /** One of the refs was not where it was to be. `at`: where the base stands now; null: it is gone. */
  | { readonly kind: 'moved'; readonly at: string | null }
  /** Somebody holds its lock, for longer than a git at work does. */
  | { readonly kind: 'locked' };

/** All refs move or none. Errors: `GitError` if the repository cannot be written. */
export async function swapBase(repository: Repository, swap: BaseSwap): Promise<BaseSwapOutcome> {
  const before = await findBaseUse(repository, swap.branch);
  if (before !== null) return { kind: 'in_use', use: before };
  const ref = `${BRANCHES}${swap.branch}`;
  const moves = [{ ref, from: swap.from, to: swap.to, isForeign: true } as const, ...swap.with];
  try {
    if ((await moveRefs(repository, moves, { identity: swap.identity })) === 'swapped_by_other')
      return { kind: 'moved', at: await followRef(repository.commonDir, ref) };
  } catch (error) {
    if (isRepositoryBusy(error)) return { kind: 'locked' };
    throw error;
  }
  return { kind: 'swapped', use: await findBaseUse(repository, swap.branch) };
}

/** A checkout that stands on the base or on what it points to, rebases it or bisects from it; null: the base may move. */
export async function findBaseUse(repository: Repository, branch: string): Promise<BranchUse | null> {
  const target = (await followName(repository.commonDir, `${BRANCHES}${branch}`)) ?? '';
  const names = new Set([branch, target.startsWith(BRANCHES) ? target.slice(BRANCHES.length) : branch]);
  for (const name of names) {
    const use = await findBranchUse({ repository, branch: name, worktree: null });
    if (use !== null) return use;
  }
  return null;
}
