/** What the ledger of a day's budget does with each message: whom it tells what, and when it looks whether those that hold a turn are still there. Pure. */
import {
  type BudgetAnswer,
  type LedgerStart,
  RELEASE_SIGNAL,
  RESERVE_SIGNAL,
  type ReserveRequest,
  readReserve,
  readSettlement,
  SETTLE_SIGNAL,
  type Settlement,
} from '../../protocol/actors/day-budget.js';
import type { MessageReading } from '../../protocol/messages/run-message.js';
import { fieldsOf, nameIn } from '../../protocol/text/fields.js';
import type { Rules, Step, Tick } from '../actor/actor.js';
import type { Carried } from '../actor/core.js';
import { type DayLedger, emptyLedger, release, reserve, settle } from './day-ledger.js';

/** Start input of `budget`. */
export interface LedgerInput extends LedgerStart {
  /** Missing in a first execution. */
  readonly carried?: Carried<LedgerState>;
}

export interface LedgerState {
  readonly ledger: DayLedger;
  /** Reservations whose runs are being looked at, by token. */
  readonly looking: readonly string[];
  /** Requests that would be refused, until that is done. */
  readonly waiting: readonly ReserveRequest[];
}

export interface Telling extends Pick<ReserveRequest, 'workflowId' | 'executionRunId'> {
  readonly answer: BudgetAnswer;
}

export type LedgerEvent =
  | ({ readonly kind: 'reserve' } & ReserveRequest)
  | ({ readonly kind: 'settle' } & Settlement)
  | { readonly kind: 'release'; readonly token: string }
  /** What a run was told about a token has reached it, or there is no such run any more: then nobody will settle it. */
  | { readonly kind: 'told'; readonly token: string; readonly isThere: boolean };

type LedgerStep = Step<LedgerState, Telling>;

export const LEDGER_SIGNALS = [RESERVE_SIGNAL, SETTLE_SIGNAL, RELEASE_SIGNAL];

export const LEDGER_RULES: readonly Rules<LedgerState, LedgerEvent, Telling>[] = [
  {
    judge: () => ({ kind: 'accepted', message: 'it is counted' }),
    after: afterEvent,
    wakesAt: () => null,
    isIdle: () => false,
  },
];

/** How often a full ledger looks at most whether a run that holds a reservation is still there: each look is an event in that run. */
const LOOK_AGAIN_MS = 10_000;

export function nothingUsed(now: number): LedgerState {
  return { ledger: emptyLedger(now), looking: [], waiting: [] };
}

export function readLedgerEvent(name: string, argument: unknown): MessageReading<LedgerEvent> {
  const event = eventOf(name, argument);
  return event === null
    ? { kind: 'bad', why: `the argument of ${name} cannot be read` }
    : { kind: 'ok', message: event };
}

function eventOf(name: string, argument: unknown): LedgerEvent | null {
  const request = name === RESERVE_SIGNAL ? readReserve(argument) : null;
  if (request !== null) return { kind: 'reserve', ...request };
  const settlement = name === SETTLE_SIGNAL ? readSettlement(argument) : null;
  if (settlement !== null) return { kind: 'settle', ...settlement };
  const token = name === RELEASE_SIGNAL ? nameIn(fieldsOf(argument), 'token') : null;
  return token === null ? null : { kind: 'release', token };
}

function afterEvent(state: LedgerState, event: LedgerEvent | Tick, now: number): LedgerStep {
  switch (event.kind) {
    case 'reserve':
      return afterReserve(state, event, now);
    case 'settle':
      return { state: { ...state, ledger: settle(state.ledger, event, now) }, errands: [] };
    case 'release':
      return { state: { ...state, ledger: release(state.ledger, event.token) }, errands: [] };
    case 'told':
      return afterTold(state, event, now);
    case 'tick':
      return { state, errands: [] };
  }
}

/** Before a refusal: what dead runs held is free. To tell a living run again what it holds changes nothing there. */
function afterReserve(before: LedgerState, request: ReserveRequest, now: number): LedgerStep {
  const decided = decide({ state: before, errands: [] }, request, now);
  const { ledger } = decided.state;
  const looked = ledger.reservations.filter(({ lookedAtMs }) => now - lookedAtMs >= LOOK_AGAIN_MS);
  const looking = [...before.looking, ...looked.map(({ token }) => token)];
  if (looking.length === 0 || decided.errands.some(({ answer }) => answer.kind === 'granted')) return decided;
  const reservations = ledger.reservations.map((held) => (looked.includes(held) ? { ...held, lookedAtMs: now } : held));
  return {
    state: { ledger: { ...ledger, reservations }, looking, waiting: [...before.waiting, request] },
    errands: looked.map(({ token, workflowId, executionRunId }) => {
      return { workflowId, executionRunId, answer: { kind: 'granted', token, day: ledger.day } };
    }),
  };
}

function afterTold(
  before: LedgerState,
  { token, isThere }: Extract<LedgerEvent, { kind: 'told' }>,
  now: number,
): LedgerStep {
  const ledger = isThere ? before.ledger : release(before.ledger, token);
  const state = { ...before, ledger, looking: before.looking.filter((looked) => looked !== token) };
  if (state.looking.length > 0) return { state, errands: [] };
  const none: LedgerStep = { state: { ...state, waiting: [] }, errands: [] };
  return before.waiting.reduce((step, request) => decide(step, request, now), none);
}

function decide({ state, errands }: LedgerStep, request: ReserveRequest, now: number): LedgerStep {
  const { ledger, answer } = reserve(state.ledger, request, now);
  const { workflowId, executionRunId } = request;
  return { state: { ...state, ledger }, errands: [...errands, { workflowId, executionRunId, answer }] };
}
