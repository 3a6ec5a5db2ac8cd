/**
 * The state of a quota gate as a pure function of what it hears: who waits, until when it is closed, who probes, and what is to be told to whom.
 * One waiter probes a usage limit at a time; it keeps everybody else waiting until its turn has ended, for only then it is known whether the limit is
 * over. A rate limit is over at its time, for all: a probe would keep everybody for a whole turn, because of seconds.
 */
import {
  closedUntil,
  isoOf,
  type LeaveMessage,
  type ParkMessage,
  type ProbedMessage,
  type QuotaGateView,
  type QuotaLimit,
  type QuotaWord,
} from '../../protocol/actors/quota.js';
import type { Rules, Step, Tick } from '../actor/actor.js';
import type { Judgement } from '../inbox/inbox.js';

type Waiter = Pick<ParkMessage, 'workflowId' | 'seat' | 'wait' | 'turnMs'>;

/** Unit: ms since 1970, as all times here. `isTold`: by the provider. */
interface Closed {
  readonly kind: 'closed';
  readonly limit: QuotaLimit;
  readonly untilMs: number;
  readonly isTold: boolean;
  readonly note: string | null;
}

type QuotaMode =
  | { readonly kind: 'open' }
  | Closed
  | { readonly kind: 'probing'; readonly waiter: Waiter; readonly untilMs: number };

/** JSON-safe: it goes over continue-as-new. */
export interface QuotaState {
  readonly mode: QuotaMode;
  /** Oldest first; the one that probes is none of them. */
  readonly waiters: readonly Waiter[];
  /** Probes in a row that met the limit again. */
  readonly refusals: number;
  /** Since when it is not open. */
  readonly sinceMs: number | null;
  /** Waits that were let go, the oldest first: a message about one that comes late closes nothing. */
  readonly released: readonly string[];
}

export type QuotaEvent =
  | ({ readonly kind: 'park' } & ParkMessage)
  | ({ readonly kind: 'probed' } & ProbedMessage)
  | ({ readonly kind: 'leave' } & LeaveMessage)
  /** A person says that the limit is over. */
  | { readonly kind: 'open' }
  | Tick
  /** A run that was told something is not open any more. */
  | { readonly kind: 'unreachable'; readonly workflowId: string };

export interface Send {
  readonly workflowId: string;
  readonly word: QuotaWord;
}

type QuotaStep = Step<QuotaState, Send>;

export const NOBODY_WAITS: QuotaState = {
  mode: { kind: 'open' },
  waiters: [],
  refusals: 0,
  sinceMs: null,
  released: [],
};

/** What a probe may need beside its turn: a slot of its host, and retries. */
const PROBE_SLACK_MS = 10 * 60_000;

/** Ids of waits that are remembered. */
const MAX_RELEASED = 1_000;

/** A gate of that many is broken or under attack; who finds no room goes on by its own timer. */
const MAX_WAITERS = 5_000;

/** A told time that differs by less is the same. */
const SAME_MS = 1_000;

export const QUOTA_RULES: readonly Rules<QuotaState, QuotaEvent, Send>[] = [
  { judge, after: afterEvent, wakesAt, isIdle },
];

/** Only a person's word is answered. */
function judge({ mode, waiters }: QuotaState, { kind }: QuotaEvent): Judgement {
  if (kind !== 'open') return { kind: 'accepted', message: 'it is noted' };
  if (mode.kind === 'open') return { kind: 'unchanged', message: 'it is open already' };
  const runs = waiters.length === 1 ? '1 waiting run goes' : `${waiters.length} waiting runs go`;
  return { kind: 'accepted', message: `the usage limit counts as over; ${runs} on` };
}

export function afterEvent(state: QuotaState, event: QuotaEvent, now: number): QuotaStep {
  switch (event.kind) {
    case 'park':
      return parked(state, event, now);
    case 'probed':
      return probed(state, event, now);
    case 'leave':
      return left(state, ({ workflowId, wait }) => workflowId === event.workflowId && wait === event.wait, now);
    case 'unreachable':
      return left(state, ({ workflowId }) => workflowId === event.workflowId, now);
    case 'open':
      return opened(state, now);
    case 'tick':
      return wakesAt(state) !== null && now >= (wakesAt(state) ?? now) ? afterTime(state, now) : unchanged(state);
  }
}

/** When the next `tick` is due; null: never. */
export function wakesAt({ mode }: QuotaState): number | null {
  return mode.kind === 'open' ? null : mode.untilMs;
}

/** Nothing would be lost if the gate ended. */
export function isIdle({ mode, waiters }: QuotaState): boolean {
  return mode.kind === 'open' && waiters.length === 0;
}

export function viewOf(account: string, { mode, waiters, refusals, sinceMs }: QuotaState): QuotaGateView {
  return {
    account,
    state: mode.kind,
    limit: mode.kind === 'closed' ? mode.limit : null,
    until: mode.kind === 'open' ? null : isoOf(mode.untilMs),
    since: sinceMs === null ? null : isoOf(sinceMs),
    waiting: waiters.length,
    runs: waiters.slice(0, 50).map(({ workflowId }) => workflowId),
    probe: mode.kind === 'probing' ? mode.waiter.workflowId : null,
    refusals,
    note: mode.kind === 'closed' ? mode.note : null,
  };
}

function unchanged(state: QuotaState): QuotaStep {
  return { state, errands: [] };
}

function parked(before: QuotaState, park: ParkMessage, now: number): QuotaStep {
  if (before.released.includes(park.wait)) return unchanged(before);
  // A probe that waits again has met the limit, whether or not it could say so.
  const isProbe = before.mode.kind === 'probing' && isSameSeat(before.mode.waiter, park);
  const { state, errands } = isProbe ? refused(before, park.until, now) : unchanged(before);
  const others = state.waiters.filter((waiter) => !isSameSeat(waiter, park));
  if (others.length >= MAX_WAITERS) return { state, errands };
  const { workflowId, wait, turnMs } = park;
  const waiters = [...others, { workflowId, ...(park.seat === undefined ? {} : { seat: park.seat }), wait, turnMs }];
  const mode = modeWith(state, park, now);
  // Who waits already would take the gate for lost.
  const isLater = mode.kind === 'closed' && state.mode.kind === 'closed' && mode.untilMs > state.mode.untilMs;
  return {
    state: { ...state, mode, waiters, sinceMs: state.sinceMs ?? now },
    errands: [
      ...errands.filter(({ word }) => others.some((other) => other.wait === word.wait)),
      ...(isLater ? tellAll(others, mode) : []),
      ...newsFor(mode, park, now),
    ],
  };
}

/** It waits once at a time: another wait of it means that the one before is over. */
function isSameSeat(one: Pick<Waiter, 'workflowId' | 'seat'>, other: Pick<Waiter, 'workflowId' | 'seat'>): boolean {
  return one.workflowId === other.workflowId && one.seat === other.seat;
}

function modeWith({ mode, refusals }: QuotaState, park: ParkMessage, now: number): QuotaMode {
  if (mode.kind === 'probing') return mode;
  const { limit } = park;
  if (mode.kind === 'open' && park.overdue) return { kind: 'closed', limit, untilMs: now, isTold: true, note: null };
  const { at, isTold, note } = closedUntil(park.until, now, refusals);
  const closed: Closed = { kind: 'closed', limit, untilMs: at, isTold, note };
  return mode.kind === 'open' || (!park.overdue && isBetter(closed, mode)) ? closed : mode;
}

/**
 * A usage limit counts before a rate limit. Of usage limits the earliest time that was told: if it is wrong, one probe finds out; a late one that is
 * wrong would hold everybody. Of rate limits the latest: nobody is to go on before its own.
 */
function isBetter(closed: Closed, before: Closed): boolean {
  if (closed.limit !== before.limit) return closed.limit === 'usage';
  if (closed.limit === 'rate') return closed.untilMs > before.untilMs;
  return closed.isTold && (!before.isTold || closed.untilMs < before.untilMs);
}

/** A waiter knows what it was told by its own provider; anything else is news, unless a tick follows at once, which says more. */
function newsFor(mode: QuotaMode, { workflowId, wait, until }: ParkMessage, now: number): readonly Send[] {
  if (mode.kind === 'open' || (mode.kind === 'closed' && mode.untilMs <= now)) return [];
  if (mode.kind === 'closed' && until !== null && Math.abs(Date.parse(until) - mode.untilMs) < SAME_MS) return [];
  return [{ workflowId, word: wordOf(mode, wait) }];
}

function wordOf(mode: Exclude<QuotaMode, { kind: 'open' }>, wait: string): QuotaWord {
  const until = isoOf(mode.untilMs);
  return mode.kind === 'probing' ? { wait, word: 'probing', until } : { wait, word: 'hold', until, told: mode.isTold };
}

function probed(state: QuotaState, { workflowId, result, until }: ProbedMessage, now: number): QuotaStep {
  if (state.mode.kind !== 'probing') return unchanged(state);
  // Also of a probe that was given up too early: a turn of this account went well.
  if (result === 'passed') return opened(state, now);
  if (state.mode.waiter.workflowId !== workflowId) return unchanged(state);
  return result === 'limited' ? refused(state, until, now) : probeNext(state, now);
}

/** The same limit again: closed anew, and everybody is told. */
function refused(state: QuotaState, until: string | null, now: number): QuotaStep {
  const refusals = state.refusals + 1;
  const { at, isTold, note } = closedUntil(until, now, refusals);
  const mode: Closed = { kind: 'closed', limit: 'usage', untilMs: at, isTold, note };
  return { state: { ...state, refusals, mode }, errands: tellAll(state.waiters, mode) };
}

function tellAll(waiters: readonly Waiter[], mode: Exclude<QuotaMode, { kind: 'open' }>): readonly Send[] {
  return waiters.map(({ workflowId, wait }) => ({ workflowId, word: wordOf(mode, wait) }));
}

function left(state: QuotaState, isGone: (waiter: Waiter) => boolean, now: number): QuotaStep {
  const waiters = state.waiters.filter((waiter) => !isGone(waiter));
  const rest = { ...state, waiters };
  if (state.mode.kind === 'probing' && isGone(state.mode.waiter)) return probeNext(rest, now);
  return unchanged(rest);
}

function afterTime(state: QuotaState, now: number): QuotaStep {
  return state.mode.kind === 'closed' && state.mode.limit === 'rate' ? opened(state, now) : probeNext(state, now);
}

function probeNext(state: QuotaState, now: number): QuotaStep {
  const [next, ...others] = state.waiters;
  if (next === undefined) return opened(state, now);
  const untilMs = now + next.turnMs + PROBE_SLACK_MS;
  const mode = { kind: 'probing', waiter: next, untilMs } as const;
  return {
    state: { ...state, mode, waiters: others, released: released(state, [next]) },
    errands: [
      { workflowId: next.workflowId, word: { wait: next.wait, word: 'probe', opening: isoOf(now) } },
      ...tellAll(others, mode),
    ],
  };
}

function opened(state: QuotaState, now: number): QuotaStep {
  if (state.mode.kind === 'open') return unchanged(state);
  const opening = isoOf(now);
  return {
    state: { ...NOBODY_WAITS, released: released(state, state.waiters) },
    errands: state.waiters.map(({ workflowId, wait }) => ({ workflowId, word: { wait, word: 'open', opening } })),
  };
}

function released(state: QuotaState, waiters: readonly Waiter[]): readonly string[] {
  return [...state.released, ...waiters.map(({ wait }) => wait)].slice(-MAX_RELEASED);
}
