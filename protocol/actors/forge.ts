/**
 * What workflows ask of a forge and what it answers. All that a forge says is an answer, an error is infrastructure of ours alone. Which repository is meant, and where its forge is, follows
 * from the run's own frozen policy, never from an input. Answers hold what is decided by.
 */

import type { Finding } from '../run/finding.js';

/** What keeps a request from being done, whatever it was. */
export type ForgeTrouble =
  /** Its limit of requests is used up until then. ISO 8601. */
  | { readonly kind: 'limited'; readonly until: string; readonly why: string }
  /** No token, or one that it does not know. */
  | { readonly kind: 'unauthorized'; readonly why: string }
  /** A token that may not do this. */
  | { readonly kind: 'missing_scope'; readonly why: string }
  /** There is no such repository or branch for this token, or it is archived. */
  | { readonly kind: 'gone'; readonly why: string }
  /** It has another name now, which a person must confirm: whoever has the old one next would get our branches. */
  | { readonly kind: 'moved'; readonly why: string }
  /** No answer, or one that says that it is out of order: it passes with time, and what was asked may have been done. */
  | { readonly kind: 'unreachable'; readonly why: string }
  /** It understood and will not. */
  | { readonly kind: 'refused'; readonly why: string };

/** Names the run whose frozen policy says where the forge is. */
export interface ForgeInput {
  readonly repoKey: string;
  readonly runId: string;
}

export type CheckState = 'pending' | 'passed' | 'failed';

/** Of those that the base requires; one of them that nobody has begun is pending. Source: T-64. */
export interface RequiredChecks {
  readonly state: CheckState;
  /** Which make it so; cut. */
  readonly names: readonly string[];
}

/** What is known of one pull request after one look. */
export interface PullState {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly isDraft: boolean;
  readonly head: string;
  readonly base: string;
  /** `unknown`: the forge works it out; asked later it says so. */
  readonly mergeable: 'yes' | 'conflict' | 'unknown';
  /** Of the head as it is; one of another commit counts as none. */
  readonly review: 'approved' | 'changes_requested' | 'none';
  /** The base wants a review that is not there. */
  readonly lacksReview: boolean;
  /** `off`: the base has no queue of the forge's. */
  readonly queue: 'off' | 'out' | 'in';
  /** Whether the base has rules, so that only the forge itself may move it. */
  readonly hasRules: boolean;
  readonly checks: RequiredChecks;
  /** Null: it is not merged. */
  readonly mergeCommit: string | null;
  /** ISO 8601, by the forge's clock: an older one than what is known is no news. */
  readonly updatedAt: string;
}

export interface LookAtPullInput extends ForgeInput {
  readonly number: number;
  /** The newest `PullState.updatedAt` that is known; null: none. */
  readonly notBefore: string | null;
}

export type LookAtPullResult = { readonly kind: 'pull'; readonly pull: PullState } | ForgeTrouble;

export interface ReadRemarksInput extends ForgeInput {
  readonly number: number;
  /** What they must be about. */
  readonly head: string;
  /** Required checks that failed. */
  readonly checks: readonly string[];
}

/** What is said against a head by somebody who has a say there, or by a required check. */
export interface Remark {
  /** It is taken up once, whatever becomes of its text. */
  readonly key: string;
  /** Whose review it is, to whom it is answered; null: of a check. */
  readonly by: string | null;
  /** Quoted. Their ids are unique among all remarks of one answer. */
  readonly findings: readonly Finding[];
}

export type ReadRemarksResult = { readonly kind: 'remarks'; readonly remarks: readonly Remark[] } | ForgeTrouble;

export interface LeaveQueueInput extends ForgeInput {
  readonly number: number;
}

/** `left`: the forge's own queue does not have it. `merged`: it is on that base by now. */
export type LeaveQueueResult =
  | { readonly kind: 'left' }
  | { readonly kind: 'merged'; readonly commit: string | null; readonly base: string }
  | ForgeTrouble;

/** A review that a run took up and that was not told so yet. */
export type DueAnswer = Pick<Remark, 'key'> & { readonly by: string };

export interface EnsurePullInput extends ForgeInput {
  /** The branch of the forge that it is to land on. */
  readonly base: string;
  /** The run whose head is shown, if a repair took the place of that of `runId`, whose branch and pull request stay. */
  readonly headRunId: string;
  /** What a person mended by hand; null: the head of that run's answer. */
  readonly head: string | null;
  /** What we pushed last; null: nothing. Whatever else stands there is a person's. */
  readonly pushed: string | null;
  /** Null: none is known yet. */
  readonly number: number | null;
  /** As of a look; null: none is known yet. */
  readonly notBefore: string | null;
  readonly isDraft: boolean;
  readonly answers: readonly DueAnswer[];
  /** What we left it as; null: we know of none. What it is otherwise a person made of it, and stays. */
  readonly wasDraft: boolean | null;
}

export type EnsurePullResult =
  | {
      readonly kind: 'pull';
      readonly number: number;
      readonly url: string;
      readonly head: string;
      readonly state: PullState['state'];
      /** Whether it is still to be made ready: not where a person did that, or the forge knows no drafts. */
      readonly isDraft: boolean;
      readonly updatedAt: string;
    }
  /** Somebody pushed to its branch, which stays as it is. Null: it was removed. */
  | { readonly kind: 'pushed_by_other'; readonly at: string | null }
  /** `pushed`: what is ours on the branch by then all the same. */
  | (ForgeTrouble & { readonly pushed?: string });
