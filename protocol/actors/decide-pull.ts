/** What is to be done about a pull request, by one look at it. Pure; never by `mergeStateStatus`, which depends on who asks. */
import type { PullState } from './forge.js';

/** What we left it as. */
export interface ExpectedPull {
  readonly head: string;
  readonly base: string;
  /** ISO 8601: since when its checks are pending, if they are. */
  readonly since: string;
  readonly now: string;
  /** Unit: ms. */
  readonly checksTimeoutMs: number;
}

export type PullDecision =
  | { readonly kind: 'merged'; readonly commit: string | null; readonly head: string; readonly base: string }
  | { readonly kind: 'closed' }
  /** A person gave it another base. */
  | { readonly kind: 'retargeted'; readonly base: string }
  /** A person pushed: what is known of our head says nothing of it. */
  | { readonly kind: 'pushed'; readonly head: string }
  /** The forge's own queue has it. */
  | { readonly kind: 'queued' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'changes_requested' }
  | {
      readonly kind: 'checks_failed' | 'checks_pending' | 'checks_timed_out';
      readonly names: readonly string[];
    }
  | { readonly kind: 'draft' }
  /** Only a person's review is missing. */
  | { readonly kind: 'review' }
  /** The forge has not worked out yet whether it merges. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'ready' };

export const PULL_KINDS = [
  ...(['merged', 'closed', 'retargeted', 'pushed', 'queued', 'conflict', 'changes_requested'] as const),
  ...(['checks_failed', 'checks_pending', 'checks_timed_out', 'draft', 'review', 'unknown', 'ready'] as const),
] as const satisfies readonly PullDecision['kind'][];

/** The first that holds: how it ended, then whose head it is, then what it waits for. */
export function decidePull(pull: PullState, expected: ExpectedPull): PullDecision {
  if (pull.state === 'merged') return mergedOf(pull);
  if (pull.state === 'closed') return { kind: 'closed' };
  if (pull.base !== expected.base) return { kind: 'retargeted', base: pull.base };
  if (pull.head !== expected.head) return { kind: 'pushed', head: pull.head };
  if (pull.queue === 'in') return { kind: 'queued' };
  if (pull.mergeable === 'conflict') return { kind: 'conflict' };
  if (pull.review === 'changes_requested') return { kind: 'changes_requested' };
  const { state, names } = pull.checks;
  if (state === 'failed') return { kind: 'checks_failed', names };
  if (state === 'pending') return { kind: isLate(expected) ? 'checks_timed_out' : 'checks_pending', names };
  if (pull.isDraft) return { kind: 'draft' };
  if (pull.lacksReview) return { kind: 'review' };
  return { kind: pull.mergeable === 'unknown' ? 'unknown' : 'ready' };
}

function mergedOf({ mergeCommit: commit, head, base }: PullState): PullDecision {
  return { kind: 'merged', commit, head, base };
}

function isLate({ since, now, checksTimeoutMs }: ExpectedPull): boolean {
  return Date.parse(now) - Date.parse(since) >= checksTimeoutMs;
}
