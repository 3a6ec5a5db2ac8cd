/** Where an item goes once what was asked about it is known. Pure. Source: S-29 to S-31, S-40 to S-43. */
import type { Decided } from '../../protocol/actors/item-admission.js';
import { MAX_CLARIFY_ROUNDS } from '../../protocol/admission/clarify-text.js';
import type { Classification } from '../../protocol/admission/classifier-answer.js';
import { type AdmissionFacts, routeAdmission } from '../../protocol/admission/route-admission.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { comparedBefore, whyDuplicate } from './item-dedup.js';
import type { Admission, ItemState, ItemStep } from './item-state.js';
import { type Line, lookLater, move, rest } from './item-steps.js';

export type Who = Pick<Line, 'driver' | 'actor' | 'note' | 'decided'>;

/** What an approval or a rejection is of. Source: S-51. */
export function decidedAs({ admission }: Pick<ItemState, 'admission'>, as: Decided['as']): Decided {
  return { as, plan: admission?.plan?.kind === 'ok' ? admission.plan.plan.hash : null };
}

/** It takes its place in the order. */
export function queued(state: ItemState, now: number): ItemState {
  return { ...state, since: now, why: null, look: lookLater(now) };
}

/** What is asked about it, in its order. */
export function orderOf({ input }: ItemState): readonly (readonly AskName[])[] {
  return input.admission?.order ?? [];
}

interface Answered {
  readonly state: ItemState;
  readonly admission: Admission;
  readonly who: Who;
}

export function routed({ state: before, admission, who }: Answered, now: number): ItemStep {
  const route = routeAdmission(factsOf(before, admission));
  const state = { ...before, admission };
  switch (route.kind) {
    case 'queued':
      // Whoever handed it in wants to say so in any case.
      if (before.input.gate === 'start')
        return rest({ ...move(state, { to: 'gated', reason: 'start', ...who }, now), why: null });
      return rest(
        queued(
          {
            ...move(state, { to: 'queued', ...who, decided: decidedAs(state, 'policy') }, now),
            admission: passed(admission),
          },
          now,
        ),
      );
    case 'clarifying': {
      const asked = { ...admission, questions: route.questions };
      return rest({ ...move(state, { to: 'clarifying', reason: 'questions', ...who }, now), admission: asked });
    }
    case 'gated':
      return rest({ ...move(state, { to: 'gated', reason: route.reason, ...who }, now), why: route.why });
    case 'closed':
      return rest({
        ...move(state, { to: 'closed', reason: route.reason, ...who, note: who.note ?? route.why }, now),
        why: route.why,
        look: null,
      });
  }
}

function passed(admission: Admission): Admission {
  return { ...admission, isPassed: true };
}

function factsOf(state: ItemState, admission: Admission): AdmissionFacts {
  const { classification, plan, compared } = admission;
  const { duplicateOf, possible } = compared ?? comparedBefore(state.input);
  return {
    dedup:
      duplicateOf === null
        ? { kind: 'clear' }
        : { kind: 'blocked', of: duplicateOf.of, why: whyDuplicate(duplicateOf) },
    classification: classifiedAs(state, classification),
    plan: plan === null || plan.kind === 'one_step' ? { kind: 'ok' } : plan,
    possibleDuplicates: possible,
    round: roundOf(admission),
    terms: termsOf(state),
  };
}

function classifiedAs(state: ItemState, known: Admission['classification']): AdmissionFacts['classification'] {
  if (known?.kind === 'ok') return { kind: 'ok', answer: believed(state, known.answer) };
  const isWanted = orderOf(state).flat().includes('classify');
  return known ?? (isWanted ? { kind: 'failed', why: 'it was not classified' } : { kind: 'unasked' });
}

/** Of one that was taken in by force a rejection is a doubt: it is planned, and a person looks at it. Source: S-42. */
export function believed({ input }: ItemState, answer: Classification): Classification {
  if (input.again?.force !== true || answer.scope !== 'reject') return answer;
  return { ...answer, scope: 'ambiguous', reason: `rejected (${answer.rejectReason ?? answer.reason}) and forced` };
}

export function termsOf({ input }: ItemState): AdmissionFacts['terms'] {
  const { minConfidence = 0, autoExecuteSmall = false } = input.admission ?? {};
  return { minConfidence, autoExecuteSmall, maxRounds: MAX_CLARIFY_ROUNDS };
}

/** Which round its questions would begin. */
export function roundOf({ rounds }: Admission): number {
  return rounds.length + 1;
}
