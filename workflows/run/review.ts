/** The decisions of turns: asked once more where unreadable (V-33), recorded with the commit they are about, and what a review leads to. */
import type { DecisionSource } from '../../protocol/messages/event-data.js';
import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import { roundStart, stageAfter } from '../../protocol/run/next-stage.js';
import type { DecisionReading, ReviewDecision } from '../../protocol/run/outcomes.js';
import { type DecisionStage, decisionOf, type Stage } from '../../protocol/run/stages.js';
import { blocked, endingOfDecision, type StageEnd } from './ending.js';
import type { LiveRun } from './live-run.js';
import type { RunState } from './run-state.js';
import { type TurnEnd, takeTurn } from './turn.js';

/** Answers the turn whose decision counts: what was unreadable is asked once more. `step`: of the plan, whose work is judged. */
export async function takeDecision(
  run: LiveRun,
  stage: DecisionStage,
  { first, step }: { readonly first: Extract<TurnEnd, { kind: 'done' }>; readonly step?: StepOfTurn },
): Promise<TurnEnd> {
  if (!isUnreadable(first.result.decision)) return first;
  const again = await takeTurn(run, {
    stage,
    previousTurn: first.place,
    continues: first.place,
    fallback: first.fallback ?? null,
    ...(step === undefined ? {} : { step }),
  });
  if (again.kind !== 'done') return again;
  // The second answer is a decision line: what was asked of a person stands in the first (V-48).
  return { ...again, result: { ...again.result, request: first.result.request } };
}

/** Answers the turn that decided. */
export async function decide(
  run: LiveRun,
  stage: DecisionStage,
  first: Extract<TurnEnd, { kind: 'done' }>,
): Promise<TurnEnd> {
  const turn = await takeDecision(run, stage, { first });
  if (turn.kind !== 'done') return turn;
  const reading: DecisionReading = turn.result.decision ?? { kind: 'unreadable' };
  record(run, stage, reading);
  const ending = endingOfDecision(reading, decisionOf(stage));
  // Asked once more the answer is a decision line: the review itself is what was said first.
  const output = first.result.output ?? turn.result.output;
  return ending === null ? { ...turn, result: { ...first.result, ...turn.result, output } } : { kind: 'ended', ending };
}

/** Red checks are a review of their own: no reviewer is paid for them (V-26). */
export function requestFixesOfRedChecks(run: RunState): boolean {
  if (run.facts.validation !== 'failed' || run.policy.onValidationFailure !== 'fix') return false;
  recordReview(run, 'CHANGES_REQUESTED', 'validation');
  return true;
}

/** The budget of rounds counts entries into fixing; those that a person asked for are free (V-22, V-23). */
export function afterReview({ facts, policy }: RunState, stage: Stage): StageEnd {
  if (facts.finalDecision === 'APPROVED') return { kind: 'next', to: stageAfter(policy.stages, stage) };
  const used = facts.round - facts.personRounds;
  const fix = roundStart(policy.stages);
  if (used < policy.rounds && fix !== null) return { kind: 'next', to: fix };
  const rounds = policy.rounds === 0 ? 'no fix round is allowed' : `${used} of ${policy.rounds} fix round(s) are used`;
  return {
    kind: 'ended',
    ending: blocked('review_loops_exhausted', `changes are requested and ${rounds}; see review.md`),
  };
}

function isUnreadable(decision: DecisionReading | null): boolean {
  return decision === null || decision.kind === 'unreadable';
}

/** Unreadable twice counts as the safe answer (V-33). */
function record(run: RunState, stage: DecisionStage, reading: DecisionReading): void {
  if (decisionOf(stage) === 'review') {
    recordReview(run, reading.kind === 'review' ? reading.value : 'BLOCKED', 'agent');
    return;
  }
  const value = reading.kind === 'verification' ? reading.value : 'NEEDS_HUMAN';
  run.facts.verification = value;
  run.facts.evidence.verification = run.head;
  run.journal.note('verification.decision', `verification: ${value}`, {
    value,
    source: 'agent',
    commit: run.head,
    round: run.facts.round,
  });
}

function recordReview(run: RunState, value: ReviewDecision, source: DecisionSource): void {
  run.facts.finalDecision = value;
  run.facts.evidence.review = run.head;
  const by = source === 'validation' ? ' (red checks)' : '';
  run.journal.note('review.decision', `review: ${value}${by}`, {
    value,
    source,
    commit: run.head,
    round: run.facts.round,
  });
}
