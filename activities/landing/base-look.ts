/** How a base stands beside the chain of its queue, and moving it. What a base contains is asked of git alone, never of a message or a title. */
import {
  type BaseLook,
  type ChainCommits,
  type HeldBase,
  type QueueRef,
  type SeenBase,
  tipRefOf,
} from '../../protocol/actors/merge-queue.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { readAncestry } from '../git/refs/read-ancestry.js';
import { readRef } from '../git/refs/read-ref.js';
import { moveRefs } from '../git/refs/run-branch.js';
import type { Repository } from '../git/start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../git/start/run-git.js';
import type { BaseMove, BaseSite, FoundBase } from './base-site.js';

export interface BaseAt {
  readonly site: BaseSite;
  readonly repository: Repository;
  readonly queue: QueueRef;
  readonly chain: ChainCommits | null;
}

/** Where it stands, and maybe not yet who uses it. */
export type BaseStand = Omit<BaseLook, 'use'> & Partial<Pick<BaseLook, 'use'>>;

export async function findBaseStand(about: BaseAt): Promise<BaseStand | HeldBase | null> {
  return standAt(about, await about.site.find());
}

/** Whether something can land there now. */
export function isOpenBase<Base extends BaseStand>(base: Base | HeldBase | null): base is Base {
  return base !== null && !('held' in base);
}

export async function withUse({ site }: BaseAt, base: BaseStand | HeldBase | null): Promise<SeenBase> {
  if (!isOpenBase(base)) return base;
  return { ...base, use: base.use === undefined ? await site.findUse() : base.use };
}

export async function lookAtBase(about: BaseAt): Promise<SeenBase> {
  return withUse(about, await findBaseStand(about));
}

export async function standAt(about: BaseAt, base: FoundBase): Promise<BaseStand | HeldBase | null> {
  if (base === null || 'held' in base) return base;
  const { repository, chain } = about;
  const contains = await countContained(repository, base.at, chain);
  const isKept = chain === null || contains === chain.commits.length || (await keepChain(about, chain));
  return { ...base, contains, ...(isKept ? {} : { isLost: true }) };
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
export async function moveBase(about: BaseAt, move: BaseMove & { readonly failpoint: Failpoint }) {
  const { failpoint, ...swap } = move;
  failpoint('land.before-swap');
  const { base, ...answer } = await about.site.swap(swap);
  failpoint('land.after-read-back');
  return { ...answer, base: await withUse(about, await standAt(about, base)) };
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
