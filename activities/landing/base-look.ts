/** How a base stands beside the chain of its queue, and moving it. What a base contains is asked of git alone, never of a message or a title. */
import type { BaseLook, ChainCommits, QueueRef } from '../../protocol/actors/merge-queue.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { findLandingBase } from '../git/merge/find-landing-base.js';
import { findBaseUse, swapBase } from '../git/merge/swap-base.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { followRef } from '../git/refs/read-ref.js';
import type { BranchUse } from '../git/refs/run-refs.js';
import type { Identity, Repository } from '../git/start/contract.js';
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

/** Null: there is no such branch to land on. */
export async function lookAtBase({ repository, queue, chain }: BaseAt): Promise<BaseLook | null> {
  const base = await findLandingBase(repository, queue.branch);
  return base.kind === 'refused' ? null : lookFrom({ repository, queue, chain }, base.sha);
}

async function lookFrom({ repository, queue, chain }: BaseAt, at: string): Promise<BaseLook> {
  const [contains, use] = await Promise.all([
    countContained(repository, at, chain),
    findBaseUse(repository, queue.branch),
  ]);
  return { at, contains, use: use === null ? null : wordsOf(use) };
}

/** Whether nobody but the queue moved the base since the chain was begun. */
export function standsBehind({ at, contains }: BaseLook, { base, commits }: ChainCommits): boolean {
  return at === (commits[contains - 1] ?? base);
}

/** Moves the base to what the chain has, or beyond; answers how it stands afterwards. */
export async function moveBase(at: BaseAt, { from, to, identity, failpoint }: BaseMove) {
  const { repository, queue } = at;
  const tip = { ref: tipRefOf(queue), to };
  failpoint('land.before-swap');
  const outcome = await swapBase(repository, { branch: queue.branch, from, to, with: [tip], identity });
  failpoint('land.after-swap');
  const base = await readBack(at);
  failpoint('land.after-read-back');
  return { outcome: outcome.kind, base } as const;
}

/** As files: how the branch is written was seen before it moved. */
async function readBack(at: BaseAt): Promise<BaseLook | null> {
  const sha = await followRef(at.repository.commonDir, `refs/heads/${at.queue.branch}`);
  return sha === null ? null : lookFrom(at, sha);
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

function wordsOf({ folder, how }: BranchUse): string {
  return `it is ${how} in ${folder}`;
}
