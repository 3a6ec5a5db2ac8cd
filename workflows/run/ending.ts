/** How a run ends, decided by pure functions from what its stages answered. */
import type { RunTurnResult } from '../../protocol/messages/messages.js';
import type { Boundary } from '../../protocol/run/gate.js';
import type { TerminalStatus } from '../../protocol/run/lifecycle.js';
import {
  type BlockedReason,
  type DecisionReading,
  type ReviewDecision,
  type RunOutcome,
  TURN_OUTCOMES,
  type TurnOutcome,
  type ValidationOutcome,
  type VerificationDecision,
} from '../../protocol/run/outcomes.js';
import { type Decision, isDecided, type Stage } from '../../protocol/run/stages.js';

/** `error` is one sentence for people; null only where nothing went wrong. */
export type Ending =
  | { readonly outcome: 'merge_ready' }
  | { readonly outcome: 'no_changes' | 'blocked'; readonly reason: BlockedReason; readonly error: string }
  | { readonly outcome: 'failed'; readonly errorClass: string; readonly error: string }
  | { readonly outcome: 'aborted'; readonly error: string };

/** What follows a stage. */
export type StageEnd =
  | { readonly kind: 'next'; readonly to: Boundary }
  | { readonly kind: 'ended'; readonly ending: Ending };

/** `no_changes` is shown as `blocked` with that reason (V-17). */
export function statusOf(outcome: RunOutcome): TerminalStatus {
  return outcome === 'no_changes' ? 'blocked' : outcome;
}

/** How a turn ended by itself, whatever lies around it. */
export function saidBy({ said, outcome }: Pick<RunTurnResult, 'said' | 'outcome'>): TurnOutcome {
  return said ?? outcome;
}

export interface TurnExpectation {
  /** The stage must change code. */
  readonly changesExpected: boolean;
  /** Somebody can be asked: what a person must see opens a gate instead of ending the run. */
  readonly attended: boolean;
}

/** Null: the run goes on. */
export function endingOfTurn(
  stage: Stage,
  outcome: TurnOutcome,
  { changesExpected, attended }: TurnExpectation,
): Ending | null {
  if (outcome.kind === 'no_change')
    return changesExpected ? { outcome: 'no_changes', reason: 'no_changes', error: `${stage} changed nothing` } : null;
  if (outcome.kind === 'done' || (outcome.kind === 'guarded_paths' && attended)) return null;
  const { ends } = TURN_OUTCOMES[outcome.kind];
  if (ends === 'failed') return { outcome: 'failed', errorClass: outcome.kind, error: outcome.why };
  return blocked(ends, outcome.why);
}

/** Null: the run goes on; `CHANGES_REQUESTED` may start a round. A decision that could not be read twice counts as the safe answer (V-33). */
export function endingOfDecision(reading: DecisionReading, what: Decision): Ending | null {
  if (reading.kind === 'unreadable') {
    return what === 'review'
      ? blocked('review_unreadable', 'the reviewer gave no readable decision, twice; see review.md')
      : blocked('verification_unreadable', 'the verifier gave no readable decision, twice; see verification.md');
  }
  switch (reading.value) {
    case 'APPROVED':
    case 'CHANGES_REQUESTED':
    case 'PASSED':
      return null;
    case 'BLOCKED':
      return blocked('review_blocked', 'the reviewer blocked the change; see review.md');
    case 'FAILED':
      return blocked(
        'verification_failed',
        'the verifier found that the change does not do the task; see verification.md',
      );
    case 'NEEDS_HUMAN':
      return blocked('verification_needs_human', 'the verifier wants a person to decide; see verification.md');
  }
}

/** What `merge_ready` is decided by. Commits say what the evidence is about; null: there is none. */
export interface MergeFacts {
  readonly stages: readonly Stage[];
  readonly head: string;
  readonly validation: ValidationOutcome['kind'] | null;
  readonly review: ReviewDecision | null;
  readonly verification: VerificationDecision | null;
  readonly evidence: Readonly<Record<'validation' | 'review' | 'verification', string | null>>;
  readonly openGate: boolean;
  readonly blockHits: number;
}

/** The end of a run whose stages are done: conditions of stages that are not in its list do not apply. Source: V-36. */
export function endingOfStages(facts: MergeFacts): Ending {
  const failing = failingConditions(facts);
  const first = failing[0];
  if (first === undefined) return { outcome: 'merge_ready' };
  return blocked(
    first.reason,
    `merge_ready needs what is missing: ${failing.map((condition) => condition.what).join('; ')}`,
  );
}

function failingConditions(facts: MergeFacts): readonly { readonly reason: BlockedReason; readonly what: string }[] {
  const { stages, head, evidence, verification } = facts;
  const green = facts.validation !== null && facts.validation !== 'failed' && facts.validation !== 'unavailable';
  const stands = (what: keyof typeof evidence, isGood: boolean) =>
    !isDecided(what, stages) || (isGood && evidence[what] === head);
  const conditions = [
    { holds: stands('validation', green), reason: 'validation_failed', what: 'checks of this tree without a failure' },
    {
      holds: stands('review', facts.review === 'APPROVED'),
      reason: 'review_blocked',
      what: 'a review that approved this commit',
    },
    {
      holds: stands('verification', verification === 'PASSED'),
      reason: 'verification_failed',
      what: 'a verification that passed this commit',
    },
    { holds: !facts.openGate, reason: 'approval_rejected', what: 'no open gate' },
    { holds: facts.blockHits === 0, reason: 'policy_violation', what: 'no hit of a block rule' },
  ] as const;
  return conditions.filter(({ holds }) => !holds);
}

/** By somebody who stopped it, or by what is used up. */
export function ended({
  reason,
  error,
}: {
  readonly reason: BlockedReason;
  readonly error: string;
}): Extract<StageEnd, { kind: 'ended' }> {
  return { kind: 'ended', ending: blocked(reason, error) };
}

/** The class of a run's error whose plan has a step that failed for good. */
export const STEP_FAILED = 'step_failed' as const;

export function stepFailed(error: string): Extract<Ending, { outcome: 'failed' }> {
  return { outcome: 'failed', errorClass: STEP_FAILED, error };
}

export function blocked(reason: BlockedReason, error: string): Ending {
  return { outcome: 'blocked', reason, error };
}
