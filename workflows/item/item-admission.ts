/**
 * How a task is judged and planned before it may start: what is asked, in its order, and where its answers lead. Pure. Whoever leaves the state `admitting` calls off what is still asked.
 * Source: S-22 to S-52.
 */
import type { ItemInput } from '../../protocol/actors/item.js';
import type { AnswerWord, ApproveWord, Decided } from '../../protocol/actors/item-admission.js';
import { checkAnswers, MAX_CLARIFY_ROUNDS } from '../../protocol/admission/clarify-text.js';
import type { Classification } from '../../protocol/admission/classifier-answer.js';
import { type AdmissionFacts, cancelsPlan, routeAdmission } from '../../protocol/admission/route-admission.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import type { Admission, ItemErrand, ItemEvent, ItemState, ItemStep, PlanFact } from './item-state.js';
import { type Line, lookLater, move, noteDown, rest } from './item-steps.js';

export const NOT_ASKED: Admission = {
  ...{ pass: 0, step: 0, asking: [], classification: null, plan: null, rounds: [], questions: [] },
  ...{ isPassed: false, isLimited: false },
};

type Who = Pick<Line, 'driver' | 'actor' | 'note' | 'decided'>;

/** What an approval or a rejection is of. Source: S-51. */
export function decidedAs({ admission }: Pick<ItemState, 'admission'>, as: Decided['as']): Decided {
  return { as, plan: admission?.plan?.kind === 'ok' ? admission.plan.plan.hash : null };
}

/** Ids of tasks that it resembles. Whoever takes a closed one up again has seen them. Source: S-12, S-13. */
export function possibleDuplicatesOf({ dedup, again }: ItemInput): readonly string[] {
  return again === null ? (dedup?.possible ?? []).map(({ id }) => id) : [];
}

/** Whether something is still to be found out before it may start. */
export function isUnadmitted({ input, admission }: ItemState): boolean {
  return input.admission !== null && admission?.isPassed !== true;
}

/** What is asked first of a task that was just handed in; its line stands already. */
export function askFirst(state: ItemState): ItemStep {
  return askStep({ ...state, admission: { ...(state.admission ?? NOT_ASKED), step: 0 } });
}

/** From the beginning, with what people answered. */
export function askAgain(state: ItemState, who: Who, now: number): ItemStep {
  const before = state.admission ?? NOT_ASKED;
  const admission = { ...NOT_ASKED, rounds: before.rounds, pass: before.pass + 1 };
  const [first = null] = orderOf(state)[0] ?? [];
  return askStep({ ...move(state, { to: 'admitting', reason: first, ...who }, now), admission, look: null, why: null });
}

/** Where it was stopped on its way: what is known of it counts. */
export function goOnAdmitting(state: ItemState, who: Who, now: number): ItemStep {
  const { admission } = state;
  if (admission === null || admission.classification === null || !isComplete(state, admission))
    return askAgain(state, who, now);
  return routed({ state, admission, who }, now);
}

export function hearAsk(
  state: ItemState,
  { ask, pass, end }: Extract<ItemEvent, { kind: 'askEnded' }>,
  now: number,
): ItemStep {
  const { admission } = state;
  if (state.state !== 'admitting' || admission?.pass !== pass || !admission.asking.includes(ask)) return rest(state);
  const asking = admission.asking.filter((one) => one !== ask);
  const heard: Admission = { ...admission, asking, isLimited: false, ...factOf(ask, end) };
  const who = { driver: ask, actor: null, note: null } as const;
  const { classification } = heard;
  const isOver =
    classification?.kind === 'failed' ||
    (classification?.kind === 'ok' &&
      cancelsPlan(believed(state, classification.answer), { round: roundOf(heard), terms: termsOf(state) }));
  if (isOver) {
    const plan: PlanFact = heard.plan ?? { kind: 'cancelled' };
    const kept = classification.kind === 'failed' && asking.length > 0;
    if (!kept) return routed({ state, admission: { ...heard, plan }, who }, now);
  }
  const told = { ...state, admission: heard, reason: asking[0] ?? state.reason };
  if (asking.length > 0) return rest(told);
  const next = { ...told, admission: { ...heard, step: heard.step + 1 } };
  return isComplete(state, heard) ? routed({ state, admission: heard, who }, now) : askStep(next);
}

export function noteAsk(
  state: ItemState,
  { ask, pass, note }: Extract<ItemEvent, { kind: 'askNoted' }>,
  now: number,
): ItemState {
  if (state.admission?.pass !== pass || state.state !== 'admitting') return state;
  return noteDown(state, { driver: ask, actor: null, note }, now);
}

/** Somebody says that it may start. Its judge has looked at the plan that is meant. */
export function approve(state: ItemState, { by, note, choice, as = 'unverified' }: ApproveWord, now: number): ItemStep {
  const who = { driver: 'approve', actor: by, note, decided: decidedAs(state, as) } as const;
  const { admission } = state;
  if (choice === 'again') return askAgain(state, who, now);
  const passed =
    admission === null ? null : { ...admission, isPassed: true, ...(choice === null ? {} : { plan: ONE_STEP }) };
  return rest(queued({ ...move(state, { to: 'queued', ...who }, now), admission: passed }, now));
}

const ONE_STEP: PlanFact = { kind: 'one_step' };

/** The answers of a round begin the next pass. Source: S-45. */
export function takeAnswers(state: ItemState, { by, note, answers }: AnswerWord, now: number): ItemStep {
  const before = state.admission ?? NOT_ASKED;
  const checked = checkAnswers(before.questions, answers);
  const rounds = [
    ...before.rounds,
    { questions: before.questions, answers: 'why' in checked ? answers : checked.answers },
  ];
  const told = { ...state, admission: { ...before, rounds } };
  return askAgain(told, { driver: 'answer', actor: by, note }, now);
}

/** What is still asked of one that goes elsewhere is called off. */
export function callOff(before: ItemState, step: ItemStep): ItemStep {
  const { state, errands } = step;
  const asks = state.admission?.asking ?? [];
  if (before.state !== 'admitting' || state.state === 'admitting' || asks.length === 0) return step;
  const admission = state.admission === null ? null : { ...state.admission, asking: [], isLimited: false };
  return { state: { ...state, admission }, errands: [...errands, { kind: 'callOff', workflowId: 'call off', asks }] };
}

/** The file in which its questions are answered is there as long as they wait. */
export function withQuestions(before: ItemState, step: ItemStep): ItemStep {
  const { state, errands } = step;
  const wereOpen = before.state === 'clarifying';
  if (wereOpen === (state.state === 'clarifying')) return step;
  const of = wereOpen ? before.admission : state.admission;
  const { questions = [], rounds: answered = [] } = of ?? {};
  const answers = wereOpen ? (state.admission?.rounds[answered.length]?.answers ?? null) : null;
  const word = !wereOpen ? 'asked' : answers === null ? 'withdrawn' : 'answered';
  const told = { round: answered.length + 1, questions, state: word, answers: answers ?? [] } as const;
  return { state, errands: [...errands, { kind: 'writeQuestions', workflowId: 'questions', ...told }] };
}

/** It takes its place in the order. */
export function queued(state: ItemState, now: number): ItemState {
  return { ...state, since: now, why: null, look: lookLater(now) };
}

interface Answered {
  readonly state: ItemState;
  readonly admission: Admission;
  readonly who: Who;
}

function routed({ state: before, admission, who }: Answered, now: number): ItemStep {
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
        ...{ why: route.why, look: null },
      });
  }
}

function passed(admission: Admission): Admission {
  return { ...admission, isPassed: true };
}

function factsOf(state: ItemState, admission: Admission): AdmissionFacts {
  const { classification, plan } = admission;
  return {
    // What is a duplicate is closed before anything is asked about it.
    dedup: { kind: 'clear' },
    classification:
      classification?.kind === 'ok'
        ? { kind: 'ok', answer: believed(state, classification.answer) }
        : (classification ?? { kind: 'failed', why: 'it was not classified' }),
    plan: plan === null || plan.kind === 'one_step' ? { kind: 'ok' } : plan,
    possibleDuplicates: possibleDuplicatesOf(state.input),
    round: roundOf(admission),
    terms: termsOf(state),
  };
}

/** Of one that was taken in by force a rejection is a doubt: it is planned, and a person looks at it. Source: S-42. */
function believed({ input }: ItemState, answer: Classification): Classification {
  if (input.again?.force !== true || answer.scope !== 'reject') return answer;
  return { ...answer, scope: 'ambiguous', reason: `rejected (${answer.rejectReason ?? answer.reason}) and forced` };
}

function termsOf({ input }: ItemState): AdmissionFacts['terms'] {
  const { minConfidence = 0, autoExecuteSmall = false } = input.admission ?? {};
  return { minConfidence, autoExecuteSmall, maxRounds: MAX_CLARIFY_ROUNDS };
}

/** Which round its questions would begin. */
function roundOf({ rounds }: Admission): number {
  return rounds.length + 1;
}

function factOf(ask: AskName, end: Extract<ItemEvent, { kind: 'askEnded' }>['end']): Partial<Admission> {
  if (end.kind === 'failed') {
    const fact = { kind: 'failed', why: end.why } as const;
    return ask === 'classify' ? { classification: fact } : { plan: fact };
  }
  const { answer } = end;
  return answer.ask === 'classify'
    ? { classification: { kind: 'ok', answer: answer.classification } }
    : { plan: { kind: 'ok', plan: answer.plan } };
}

function orderOf({ input }: ItemState): readonly (readonly AskName[])[] {
  return input.admission?.order ?? [];
}

/** Nothing is left to ask. */
function isComplete(state: ItemState, { classification, plan }: Admission): boolean {
  const isKnown = (ask: AskName) => (ask === 'classify' ? classification : plan) !== null;
  return orderOf(state).flat().every(isKnown);
}

function askStep(state: ItemState): ItemStep {
  const { admission } = state;
  const asks = orderOf(state)[admission?.step ?? 0] ?? [];
  if (admission === null || asks.length === 0) return rest(state);
  const { pass, rounds } = admission;
  const [first = null] = asks;
  return {
    state: { ...state, reason: first, admission: { ...admission, asking: asks } },
    errands: asks.map((ask): ItemErrand => ({ kind: 'ask', workflowId: `ask ${ask}`, lasts: true, ask, pass, rounds })),
  };
}
