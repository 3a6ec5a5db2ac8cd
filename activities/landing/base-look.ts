/** How a base stands beside the chain of its queue, and moving it. What a base contains is asked of git alone, never of a message or a title. */
import type { BaseLook, ChainCommits, QueueRef } from '../../protocol/actors/merge-queue.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { findLandingBase } from '../git/merge/find-landing-base.js';
import { findBaseUse, swapBase } from '../git/merge/swap-base.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { followRef, readRef } from '../git/refs/read-ref.js';
import { moveRefs } from '../git/refs/run-branch.js';
import type { BranchUse } from '../git/refs/run-refs.js';
import type { Identity, Repository } from '../git/start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../git/start/run-git.js';
import { tipRefOf } from './queue-place.js';

export interface BaseAt {
  readonly repository: Repository;
  readonly queue: QueueRef;
  readonly chain: ChainCommits | null;
}

interface BaseMove {
  readonly from: string;
  readonly to: string;
  readonly identity: Identity;
  readonly failpoint: Failpoint;
}

/** Where it stands, and not yet who uses it: for that the HEAD of each worktree is read. */
export type BaseStand = Omit<BaseLook, 'use'>;

/** Null: there is no such branch to land on. */
export async function findBaseStand({ repository, queue, chain }: BaseAt): Promise<BaseStand | null> {
  const base = await findLandingBase(repository, queue.branch);
  return base.kind === 'refused' ? null : standAt({ repository, queue, chain }, base.sha);
}

export async function lookAtBase(about: BaseAt): Promise<BaseLook | null> {
  const base = await findBaseStand(about);
  return base === null ? null : withUse(about, base);
}

export async function withUse({ repository, queue }: BaseAt, base: BaseStand): Promise<BaseLook> {
  return { ...base, use: wordsOf(await findBaseUse(repository, queue.branch)) };
}

async function standAt(about: BaseAt, at: string): Promise<BaseStand> {
  const { repository, chain } = about;
  const contains = await countContained(repository, at, chain);
  const isKept = chain === null || contains === chain.commits.length || (await keepChain(about, chain));
  return isKept ? { at, contains } : { at, contains, isLost: true };
}

/** Somebody may have moved or removed the ref that keeps its commits from being pruned: it is put back. False: git removed them. */
async function keepChain({ repository, queue }: BaseAt, { commits }: ChainCommits): Promise<boolean> {
  const ref = tipRefOf(queue);
  const to = commits.at(-1) ?? '';
  if ((await readRef(repository.commonDir, ref)) === to) return true;
  const asked = await tryGit([...ON_REAL_REPOSITORY, 'cat-file', '-e', `${to}^{tree}`], {
    gitDir: repository.commonDir,
  });
  if (asked.exitCode !== 0) return false;
  await moveRefs(repository, [{ ref, to }], { identity: null });
  return true;
}

/** Whether nobody but the queue moved the base since the chain was begun, and the chain is there. */
export function standsBehind({ at, contains, isLost }: BaseStand, { base, commits }: ChainCommits): boolean {
  return isLost !== true && at === (commits[contains - 1] ?? base);
}

/** Moves the base to what the chain has, or beyond; answers how it stands afterwards. */
export async function moveBase(about: BaseAt, { from, to, identity, failpoint }: BaseMove) {
  const { repository, queue } = about;
  const ref = `refs/heads/${queue.branch}`;
  const tip = { ref: tipRefOf(queue), to };
  failpoint('land.before-swap');
  const outcome = await swapBase(repository, { branch: queue.branch, from, to, with: [tip], identity });
  failpoint('land.after-swap');
  // As a file: how the branch is written was seen before it moved.
  const at = await followRef(repository.commonDir, ref);
  failpoint('land.after-read-back');
  if (at === null) return { outcome: outcome.kind, base: null };
  const base = await standAt(about, at);
  const isSeen = outcome.kind === 'swapped' || outcome.kind === 'in_use';
  return {
    outcome: outcome.kind,
    base: isSeen ? { ...base, use: wordsOf(outcome.use) } : await withUse(about, base),
  };
}

async function countContained(repository: Repository, at: string, chain: ChainCommits | null): Promise<number> {
  if (chain === null || at === chain.base) return 0;
  const { commits } = chain;
  const known = commits.lastIndexOf(at);
  if (known >= 0) return known + 1;
  for (let count = commits.length; count > 0; count -= 1)
    if ((await readAncestry(repository, commits[count - 1] ?? at, at)) === 'ancestor') return count;
  return 0;
}

function wordsOf(use: BranchUse | null): string | null {
  return use === null ? null : `it is ${use.how} in ${use.folder}`;
}
