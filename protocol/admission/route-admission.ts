/** Where a task goes once it was compared, classified and planned: one table, the first line that holds. Pure and total. Source: S-29 to S-31, S-40 to S-43, S-49, docs/requirements/skep.md "Formats". */
import type { Classification } from './classifier-answer.js';

export interface AdmissionTerms {
  /** From 0 to 1; 0: no confidence is too low (S-30). */
  readonly minConfidence: number;
  readonly autoExecuteSmall: boolean;
  /** Rounds of questions that a task may have (S-49). */
  readonly maxRounds: number;
}

export interface AdmissionFacts {
  /** `clear`: it was not compared, or nothing blocks it. */
  readonly dedup: { readonly kind: 'clear' } | { readonly kind: 'blocked'; readonly of: string; readonly why: string };
  readonly classification:
    | { readonly kind: 'ok'; readonly answer: Classification }
    | { readonly kind: 'failed'; readonly why: string }
    /** Nobody is asked: it is only compared. */
    | { readonly kind: 'unasked' };
  /** `cancelled`: nobody waits for it any more (`cancelsPlan`). */
  readonly plan:
    | { readonly kind: 'ok' }
    | { readonly kind: 'failed'; readonly why: string }
    | { readonly kind: 'cancelled' };
  /** Open tasks that it may be a duplicate of. */
  readonly possibleDuplicates: readonly string[];
  /** Which round of questions this pass would begin, from 1. */
  readonly round: number;
  readonly terms: AdmissionTerms;
}

type GateReason =
  | 'plan'
  | 'classify_failed'
  | 'plan_failed'
  | 'possible_duplicate'
  | 'low_confidence'
  | 'clarification_limit';

export type AdmissionRoute =
  | { readonly kind: 'closed'; readonly reason: 'duplicate'; readonly of: string; readonly why: string }
  | { readonly kind: 'closed'; readonly reason: 'rejected'; readonly why: string }
  | { readonly kind: 'clarifying'; readonly questions: readonly string[]; readonly round: number }
  /** `why`: one sentence for whoever stands at the gate. */
  | { readonly kind: 'gated'; readonly reason: GateReason; readonly why: string }
  | { readonly kind: 'queued' };

/** The first that holds: a duplicate, a rejection, questions, a failure, a doubt; then a small task may go on by itself. */
export function routeAdmission(facts: AdmissionFacts): AdmissionRoute {
  const { dedup, classification, plan, possibleDuplicates } = facts;
  if (dedup.kind === 'blocked') return { kind: 'closed', reason: 'duplicate', of: dedup.of, why: dedup.why };
  if (classification.kind === 'unasked') return gateDoubt(possibleDuplicates) ?? { kind: 'queued' };
  if (classification.kind === 'failed') return gate('classify_failed', classification.why);
  const answered = routeAnswer(classification.answer, facts);
  if (answered !== null) return answered;
  switch (plan.kind) {
    case 'failed':
      return gate('plan_failed', plan.why);
    case 'cancelled':
      return gate('plan_failed', 'its plan was cancelled');
    case 'ok':
      return routePlanned(classification.answer, facts);
  }
}

/** Whether the planner's turn ends now, for the task is not going to wait for its plan (S-31). Past the last round it goes on: who stands at the gate needs a plan. */
export function cancelsPlan(
  answer: Classification,
  { round, terms }: Pick<AdmissionFacts, 'round' | 'terms'>,
): boolean {
  return answer.scope === 'reject' || (answer.questions.length > 0 && round <= terms.maxRounds);
}

/** What needs no plan. Null: it does. */
function routeAnswer(answer: Classification, { round, terms }: AdmissionFacts): AdmissionRoute | null {
  const { scope, questions, reason, rejectReason } = answer;
  if (scope === 'reject') return { kind: 'closed', reason: 'rejected', why: rejectReason ?? reason };
  if (questions.length === 0) return null;
  if (round <= terms.maxRounds) return { kind: 'clarifying', questions, round };
  return gate(
    'clarification_limit',
    `there are still questions after ${terms.maxRounds} rounds: ${questions.join(' ')}`,
  );
}

function routePlanned(answer: Classification, { possibleDuplicates, terms }: AdmissionFacts): AdmissionRoute {
  const { scope, confidence, reason } = answer;
  const doubt = gateDoubt(possibleDuplicates);
  if (doubt !== null) return doubt;
  if (confidence < terms.minConfidence)
    return gate(
      'low_confidence',
      `the classifier is sure by ${confidence}; at least ${terms.minConfidence} is asked for`,
    );
  if (scope === 'small' && terms.autoExecuteSmall) return { kind: 'queued' };
  return gate('plan', `${scope}: ${reason}`);
}

function gateDoubt(possible: readonly string[]): AdmissionRoute | null {
  return possible.length === 0 ? null : gate('possible_duplicate', `it may be the same as ${possible.join(', ')}`);
}

function gate(reason: GateReason, why: string): AdmissionRoute {
  return { kind: 'gated', reason, why };
}
