/**
 * Where the base of a queue lives: a branch of the repository on this host, or one of a forge, whose way is given by who has its token. What is merged and checked, and in which order, is the
 * same for both.
 */
import {
  type HeadOfEntry,
  type HeldBase,
  isForgeQueue,
  type LandEntryInput,
  type Landed,
  type QueueEntry,
  tipRefOf,
} from '../../protocol/actors/merge-queue.js';
import { findLandingBase } from '../git/merge/find-landing-base.js';
import { findBaseUse, swapBase } from '../git/merge/swap-base.js';
import { followRef } from '../git/refs/read-ref.js';
import type { BranchUse } from '../git/refs/run-refs.js';
import { badInput } from '../unit/run-failures.js';
import type { Planned } from './merge-head.js';
import { type AtQueue, type LandingDeps, queueGitOf } from './queue-place.js';

/** Null: there is no such branch to land on. `use`: where it was looked at in passing. */
export type FoundBase = { readonly at: string; readonly use?: string | null } | HeldBase | null;

/** What became of a head, and how the base stands by then. */
export interface BaseAnswer {
  readonly landed: Landed;
  readonly base: FoundBase;
  /** What the pull request had that somebody merged; missing: what was to land. */
  readonly head?: string;
}

export interface BaseMove {
  readonly from: string;
  readonly to: string;
  /** As of `Planned`. */
  readonly on: string;
}

export interface BaseSite {
  /** Where it stands; its commits are in the repository by then. */
  find(): Promise<FoundBase>;
  /** Who keeps it from being moved, a clause; null: nobody. For that the HEAD of each worktree is read. */
  findUse(): Promise<string | null>;
  /** What is known beside git of the head that is about to land; null: nothing is in its way. `made`: what it comes to with the base. */
  consult(made: Planned | Landed): Promise<BaseAnswer | null>;
  /** Whether what lands is made there, of the same head, and no commit of ours. */
  makesItsOwn(): boolean;
  /** `ready`: it could not be moved now. */
  swap(move: BaseMove): Promise<BaseAnswer>;
}

export interface BaseSiteInput extends Pick<LandEntryInput, 'queue'> {
  /** Null: nothing lands, it is looked at. */
  readonly entry: (HeadOfEntry & Pick<QueueEntry, 'pull'>) | null;
}

export interface BaseDeps extends LandingDeps {
  /** Of the worker that speaks to forges; no other lands there. */
  readonly openForgeBase?: (at: AtQueue, input: BaseSiteInput) => BaseSite;
}

/** Errors: BadInput for the base of a forge where nobody speaks to one. */
export function openBaseSite(deps: BaseDeps, at: AtQueue, input: BaseSiteInput): BaseSite {
  if (!isForgeQueue(input.queue)) return openLocalBase(at, input);
  if (deps.openForgeBase === undefined)
    throw badInput('queue', `${input.queue.repoKey} is on a forge, which only the worker of forges of this host asks`);
  return deps.openForgeBase(at, input);
}

function openLocalBase(at: AtQueue, { queue }: BaseSiteInput): BaseSite {
  const { repository } = at.workplace;
  const { branch } = queue;
  const swap = async ({ from, to, on }: BaseMove): Promise<BaseAnswer> => {
    const { identity } = await queueGitOf(at);
    const outcome = await swapBase(repository, {
      branch,
      from,
      to,
      identity,
      with: [{ ref: tipRefOf(queue), to }],
    });
    at.deps.failpoint('land.after-swap');
    // As a file: how the branch is written was seen before it moved.
    const now = await followRef(repository.commonDir, `refs/heads/${branch}`);
    const isSeen = outcome.kind === 'swapped' || outcome.kind === 'in_use';
    const base = now === null ? null : { at: now, ...(isSeen ? { use: wordsOf(outcome.use) } : {}) };
    if (outcome.kind === 'swapped') return { base, landed: { kind: 'merged', commit: to } };
    return { base, landed: outcome.kind === 'moved' ? { kind: 'moved' } : { kind: 'ready', commit: to, on } };
  };
  return {
    find: async () => {
      const base = await findLandingBase(repository, branch);
      return base.kind === 'refused' ? null : { at: base.sha };
    },
    findUse: async () => wordsOf(await findBaseUse(repository, branch)),
    consult: async () => null,
    makesItsOwn: () => false,
    swap,
  };
}

function wordsOf(use: BranchUse | null): string | null {
  return use === null ? null : `it is ${use.how} in ${use.folder}`;
}
