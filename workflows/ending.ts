/** How a run ends, decided by pure functions from what its stages answered. */
import type { Stage, TerminalStatus } from '../protocol/lifecycle.js';
import type { BlockedReason, DecisionReading, RunOutcome, TurnOutcome, ValidationOutcome } from '../protocol/outcomes.js';

/** `error` is one sentence for people; null only where nothing went wrong. */
export type Ending =
  | { readonly outcome: 'merge_ready' }
  | { readonly outcome: 'no_changes' | 'blocked'; readonly reason: BlockedReason; readonly error: string }
  | { readonly outcome: 'failed'; readonly errorClass: string; readonly error: string }
  | { readonly outcome: 'aborted'; readonly error: string };

/** `no_changes` is shown as `blocked` with that reason (V-17). */
export function statusOf(outcome: RunOutcome): TerminalStatus {
  return outcome === 'no_changes' ? 'blocked' : outcome;
}

/** Null: the run goes on. `changesExpected`: the stage writes code. */
export function endingOfTurn(stage: Stage, outcome: TurnOutcome, changesExpected: boolean): Ending | null {
  switch (outcome.kind) {
    case 'done':
      return null;
    case 'no_change':
      return changesExpected ? { outcome: 'no_changes', reason: 'no_changes', error: `${stage} changed nothing` } : null;
    case 'refused':
      return blocked('agent_refused', outcome.why);
    case 'needs_input':
      return blocked('needs_input', outcome.why);
    case 'usage_limit':
      return blocked('usage_limit', outcome.why);
    case 'overflow':
      return blocked('overflow', outcome.why);
    case 'policy_violation':
      return blocked('policy_violation', outcome.why);
    case 'repository_changed':
      return blocked('repository_changed', outcome.why);
    case 'guarded_paths':
      return blocked('guarded_paths', outcome.why);
    case 'rate_limited':
    case 'transient':
    case 'timeout':
    case 'crash_loop':
    case 'hard':
      return { outcome: 'failed', errorClass: outcome.kind, error: outcome.why };
  }
}

export function endingOfValidation(outcome: ValidationOutcome): Ending | null {
  switch (outcome.kind) {
    case 'passed':
    case 'partial':
    case 'base_failures_ignored':
    case 'no_commands':
      return null;
    case 'failed':
      return blocked('validation_failed', outcome.why);
    case 'unavailable':
      return blocked('validation_unavailable', outcome.why);
  }
}

/** A decision that could not be read twice counts as the safe answer (V-33). */
export function endingOfDecision(reading: DecisionReading, stage: 'reviewing' | 'verifying'): Ending | null {
  if (reading.kind === 'unreadable') {
    return stage === 'reviewing'
      ? blocked('review_unreadable', 'the reviewer gave no readable decision, twice; see review.md')
      : blocked('verification_unreadable', 'the verifier gave no readable decision, twice; see verification.md');
  }
  switch (reading.value) {
    case 'APPROVED':
    case 'PASSED':
      return null;
    case 'CHANGES_REQUESTED':
      return blocked('review_loops_exhausted', 'the reviewer requested changes and no fix round is left; see review.md');
    case 'BLOCKED':
      return blocked('review_blocked', 'the reviewer blocked the change; see review.md');
    case 'FAILED':
      return blocked('verification_failed', 'the verifier found that the change does not do the task; see verification.md');
    case 'NEEDS_HUMAN':
      return blocked('verification_needs_human', 'the verifier wants a person to decide; see verification.md');
  }
}

export function blocked(reason: BlockedReason, error: string): Ending {
  return { outcome: 'blocked', reason, error };
}
