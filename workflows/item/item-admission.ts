/**
 * How a task is judged and planned before it may start: what is asked, in its order, and where its answers lead. Pure. Whoever leaves the state `admitting` calls off what is still asked.
 * Source: S-22 to S-52.
 */
import type { AnswerWord, ApproveWord } from '../../protocol/actors/item-admission.js';
import { checkAnswers } from '../../protocol/admission/clarify-text.js';
import { cancelsPlan } from '../../protocol/admission/route-admission.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { comparedAgain, comparedBefore, judged } from './item-dedup.js';
import type {
  Admission,
  AskEnd,
  Compared,
  ItemErrand,
  ItemEvent,
  ItemState,
  ItemStep,
  PlanFact,
} from './item-state.js';
import { move, noteDown, rest } from './item-steps.js';
import { believed, decidedAs, orderOf, queued, roundOf, routed, termsOf, type Who } from './route-item.js';

export const NOT_ASKED: Admission = {
  pass: 0,
  step: 0,
  asking: [],
  classification: null,
  plan: null,
  rounds: [],
  questions: [],
  isPassed: false,
  isLimited: false,
};

/** Whether something is still to be found out before it may start. */
export function isUnadmitted({ input, admission, runs }: ItemState): boolean {
  // Of a task that ran, somebody decided that it may.
  return input.admission !== null && runs === 0 && admission?.isPassed !== true;
}

/** What is asked first of a task that was just handed in; its line stands already. */
export function askFirst(state: ItemState, now: number): ItemStep {
  return askCompared({ ...state, admission: NOT_ASKED }, { compared: comparedBefore(state.input), now });
}

/** From the beginning, with what people answered. */
export function askAgain(state: ItemState, who: Who, now: number): ItemStep {
  const before = state.admission ?? NOT_ASKED;
  const admission = { ...NOT_ASKED, rounds: before.rounds, pass: before.pass + 1 };
  const [first = null] = orderOf(state)[0] ?? [];
  const asked = { ...move(state, { to: 'admitting', reason: first, ...who }, now), admission, look: null, why: null };
  const { pass, rounds } = admission;
  if (rounds.length === 0 || state.input.admission?.comparesAgain !== true || state.input.again !== null)
    return askCompared(asked, { compared: comparedBefore(state.input), now });
  const errand = { kind: 'compareAgain', workflowId: 'compare again', pass, rounds } as const;
  return { state: { ...asked, reason: 'dedup' }, errands: [errand] };
}

/** With the answers of people it may be one that is there already. Source: S-49. */
export function hearComparison(
  state: ItemState,
  event: Extract<ItemEvent, { kind: 'comparedAgain' }>,
  now: number,
): ItemStep {
  const { admission } = state;
  const isAwaited = state.state === 'admitting' && admission?.pass === event.pass && admission.compared === undefined;
  if (!isAwaited) return rest(state);
  const { compared, note } = comparedAgain(state.input, event);
  return askCompared(noteDown(state, { driver: 'dedup', actor: null, note }, now), { compared, now });
}

interface ComparedNow {
  readonly compared: Compared;
  readonly now: number;
}

/** Whoever is like nothing is not asked about. */
function askCompared(state: ItemState, { compared, now }: ComparedNow): ItemStep {
  const admission: Admission = { ...(state.admission ?? NOT_ASKED), compared, step: 0 };
  const isSkipped = compared.isJudged && orderOf(state)[0]?.[0] === 'dedup';
  if (!isSkipped) return askStep({ ...state, admission });
  const next = { ...admission, step: 1 };
  if (!isComplete(state, next)) return askStep({ ...state, admission: next });
  return routed({ state, admission: next, who: { driver: 'dedup', actor: null, note: null } }, now);
}

/** Where it was stopped on its way: what is known of it counts. */
export function goOnAdmitting(state: ItemState, who: Who, now: number): ItemStep {
  const { admission } = state;
  if (admission !== null && isComplete(state, admission)) return routed({ state, admission, who }, now);
  // What people answered is compared before all else is asked.
  if (admission?.compared === undefined) return askAgain(state, who, now);
  // Of the pass before only what it left open is asked: whoever was called off in it is not heard any more.
  const next = { ...admission, pass: admission.pass + 1 };
  const [first = null] = unknownOf(next, orderOf(state)[next.step]);
  const moved = move(state, { to: 'admitting', reason: first, ...who }, now);
  return askStep({ ...moved, admission: next, look: null, why: null });
}

/** Neither called off nor of a pass before. */
export function isAsked(
  admission: Admission | null,
  { ask, pass }: { readonly ask: AskName; readonly pass: number },
): boolean {
  return admission?.pass === pass && admission.asking.includes(ask);
}

export function hearAsk(
  state: ItemState,
  { ask, pass, end }: Extract<ItemEvent, { kind: 'askEnded' }>,
  now: number,
): ItemStep {
  const { admission } = state;
  if (state.state !== 'admitting' || admission === null || !isAsked(admission, { ask, pass })) return rest(state);
  const asking = admission.asking.filter((one) => one !== ask);
  const heard: Admission = { ...admission, asking, isLimited: false, ...factOf(ask, end) };
  if (ask === 'dedup') return hearJudgement({ state, admission: heard, end }, now);
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

interface Judged {
  readonly state: ItemState;
  readonly admission: Admission;
  readonly end: AskEnd;
}

/** What is a duplicate is asked nothing more. */
function hearJudgement({ state, admission: before, end }: Judged, now: number): ItemStep {
  const { compared, note } = judged(before.compared ?? comparedBefore(state.input), end, before.pass);
  const admission = { ...before, compared, step: before.step + 1 };
  const who = { driver: 'dedup', actor: null, note } as const;
  if (compared.duplicateOf !== null || isComplete(state, admission)) return routed({ state, admission, who }, now);
  return askStep({ ...noteDown(state, who, now), admission });
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

function factOf(ask: AskName, end: AskEnd): Partial<Admission> {
  if (ask === 'dedup') return {};
  if (end.kind === 'failed') {
    const fact = { kind: 'failed', why: end.why } as const;
    return ask === 'classify' ? { classification: fact } : { plan: fact };
  }
  const { answer } = end;
  switch (answer.ask) {
    case 'dedup':
      return {};
    case 'classify':
      return { classification: { kind: 'ok', answer: answer.classification } };
    case 'plan':
      return { plan: { kind: 'ok', plan: answer.plan } };
  }
}

/** Nothing is left to ask. */
function isComplete(state: ItemState, admission: Admission): boolean {
  return unknownOf(admission, orderOf(state).flat()).length === 0;
}

function unknownOf({ classification, plan, compared }: Admission, asks: readonly AskName[] = []): readonly AskName[] {
  const isKnown: Readonly<Record<AskName, boolean>> = {
    dedup: compared?.isJudged === true,
    classify: classification !== null,
    plan: plan !== null,
  };
  return asks.filter((ask) => !isKnown[ask]);
}

function askStep(state: ItemState): ItemStep {
  const { admission } = state;
  const asks = admission === null ? [] : unknownOf(admission, orderOf(state)[admission.step]);
  if (admission === null || asks.length === 0) return rest(state);
  const { pass, rounds, compared } = admission;
  const [first = null] = asks;
  return {
    state: { ...state, reason: first, admission: { ...admission, asking: asks } },
    errands: asks.map(
      (ask): ItemErrand => ({
        kind: 'ask',
        workflowId: `ask ${ask}`,
        lasts: true,
        ask,
        pass,
        rounds,
        candidates: ask === 'dedup' ? (compared?.candidates ?? []) : [],
      }),
    ),
  };
}
