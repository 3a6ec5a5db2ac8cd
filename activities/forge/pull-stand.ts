/** Whether a pull request may be merged now, and in words what it waits for. Pure. */
import { decidePull, type PullDecision } from '../../protocol/actors/decide-pull.js';
import type { PullState } from '../../protocol/actors/forge.js';

/** Whether checks are late is nobody's question here. */
const NEVER_LATE = { since: '1970-01-01T00:00:00Z', now: '1970-01-01T00:00:00Z', checksTimeoutMs: 1 };

/** Null: nothing is in its way, as far as the forge knows; whether it merges it works out anew after each move of its base. */
export function findObstacle(pull: PullState, expected: { readonly head: string; readonly base: string }) {
  const decision = decidePull(pull, { ...expected, ...NEVER_LATE });
  return decision.kind === 'ready' || decision.kind === 'unknown' ? null : decision;
}

/** One sentence. */
export function tellObstacle({ number }: PullState, obstacle: PullDecision): string {
  return `the pull request #${number} ${wordsOf(obstacle)}`;
}

function wordsOf(obstacle: PullDecision): string {
  switch (obstacle.kind) {
    case 'merged':
      return 'is merged';
    case 'closed':
      return 'was closed';
    case 'retargeted':
      return `was given another base, ${obstacle.base}`;
    case 'pushed':
      return `has another head, ${obstacle.head.slice(0, 12)}, which somebody pushed`;
    case 'queued':
      return "is in the forge's own merge queue, which merges it";
    case 'conflict':
      return 'conflicts with its base, as the forge sees it';
    case 'changes_requested':
      return 'waits for the changes that a review asks for';
    case 'checks_failed':
      return `has required checks that failed: ${obstacle.names.join(', ')}`;
    case 'checks_pending':
    case 'checks_timed_out':
      return `waits for required checks: ${obstacle.names.join(', ')}`;
    case 'draft':
      return 'is a draft';
    case 'review':
      return 'waits for a review';
    case 'unknown':
    case 'ready':
      return 'may be merged';
  }
}
