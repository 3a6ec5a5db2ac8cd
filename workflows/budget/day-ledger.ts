/**
 * The table behind the workflow `budget`: what the runs of a project used today and what is reserved for turns under way. Pure.
 * Turns are exact under any order of messages. Minutes, money and tokens of a turn under way are an estimate, the mean of what was settled today, so the
 * first turns of a day can go over a limit by what they use; what was settled counts as it was.
 */
import type {
  BudgetAnswer,
  DayBudgetView,
  DayUse,
  ReserveRequest,
  Settlement,
} from '../../protocol/actors/day-budget.js';
import { type BudgetAmounts, budgetRows, reachedLimit } from '../../protocol/run/budget-limits.js';
import type { DayBudgetPolicy } from '../../protocol/run/policy.js';

/** One turn under way, with what is expected of it. */
export interface Reservation extends Omit<DayUse, 'turns'> {
  readonly token: string;
  readonly workflowId: string;
  readonly executionRunId: string;
  /** When it was looked at last whether its run is still there; 0: never. Unit: ms since 1970. */
  readonly lookedAtMs: number;
}

/** Of other days it keeps nothing. */
export interface DayLedger {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly settled: DayUse;
  /** How often people granted the whole budget again. */
  readonly grants: number;
  readonly reservations: readonly Reservation[];
  /** Tokens that were settled, newest last, bounded. */
  readonly done: readonly string[];
  /** Names of the grants that were used, newest last, bounded. */
  readonly grantedBy: readonly string[];
}

/** A settlement comes twice only after a reset, so more of a day than its last ones need not be remembered. */
const MAX_DONE = 2_000;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const NOTHING: DayUse = { turns: 0, ms: 0, microUsd: 0, tokens: 0 };

export function emptyLedger(now: number): DayLedger {
  return { day: dayOf(now), settled: NOTHING, grants: 0, reservations: [], done: [], grantedBy: [] };
}

/** A new day begins with nothing: a turn under way belongs to the day that reserved it. A clock that goes back opens no day again. */
export function onDay(ledger: DayLedger, now: number): DayLedger {
  return dayOf(now) > ledger.day ? emptyLedger(now) : ledger;
}

export interface Reserved {
  readonly ledger: DayLedger;
  readonly answer: BudgetAnswer;
}

/** A request ends what an earlier execution of its workflow had reserved; one execution may have two turns under way, as a task that is judged and planned at once. */
export function reserve(before: DayLedger, request: ReserveRequest, now: number): Reserved {
  const today = onDay(before, now);
  const { token, workflowId, executionRunId, limits, grant } = request;
  const granted: BudgetAnswer = { kind: 'granted', token, day: today.day };
  if (today.done.includes(token) || today.reservations.some((held) => held.token === token))
    return { ledger: today, answer: granted };
  const isEarlier = (held: Reservation) => held.workflowId === workflowId && held.executionRunId !== executionRunId;
  const others = { ...today, reservations: today.reservations.filter((held) => !isEarlier(held)) };
  const ledger = withGrant(others, limits, grant);
  const full = reachedLimit(budgetRows(amountsOf(ledger), limits, ledger.grants));
  if (full !== null) {
    const answer: BudgetAnswer = {
      ...full,
      kind: 'full',
      token,
      day: ledger.day,
      underWay: ledger.reservations.length,
      resetsAt: endOf(ledger.day),
    };
    return { ledger, answer };
  }
  const reservation = { token, workflowId, executionRunId, ...expectedOf(ledger.settled), lookedAtMs: 0 };
  return { ledger: { ...ledger, reservations: [...ledger.reservations, reservation] }, answer: granted };
}

/** Harmless when repeated. What is of another day counts for none that is kept. */
export function settle(before: DayLedger, { token, day, usage }: Settlement, now: number): DayLedger {
  const today = onDay(before, now);
  if (day !== today.day || today.done.includes(token)) return today;
  const expected = today.reservations.find((held) => held.token === token) ?? NOTHING;
  const used: DayUse = {
    turns: 1,
    ms: Math.round(usage?.durationMs ?? expected.ms),
    microUsd: Math.round(usage?.costMicroUsd ?? expected.microUsd),
    tokens: Math.round(usage?.tokens ?? expected.tokens),
  };
  return {
    ...release(today, token),
    settled: sumOf([today.settled, used]),
    done: [...today.done, token].slice(-MAX_DONE),
  };
}

/** The turn never began, or nobody is left who could settle it. */
export function release(ledger: DayLedger, token: string): DayLedger {
  return { ...ledger, reservations: ledger.reservations.filter((held) => held.token !== token) };
}

export function viewOf(before: DayLedger, project: string, now: number): DayBudgetView {
  const { day, settled, grants, reservations } = onDay(before, now);
  return { project, day, resetsAt: endOf(day), settled, reserved: reservedOf(reservations), grants };
}

/** As many grants as make room for one turn: what was used may be the whole budget several times. */
function withGrant(ledger: DayLedger, limits: DayBudgetPolicy, grant: string | null): DayLedger {
  if (grant === null || ledger.grantedBy.includes(grant)) return ledger;
  const grantedBy = [...ledger.grantedBy, grant].slice(-MAX_DONE);
  const used = amountsOf(ledger);
  const times = budgetRows(used, limits, 0).map(({ used: spent, allowed }) =>
    Math.floor(spent / (allowed ?? Infinity)),
  );
  let grants = Math.max(ledger.grants, ...times);
  // A quotient of fractions may be rounded down to the whole number before.
  if (reachedLimit(budgetRows(used, limits, grants)) !== null) grants += 1;
  return { ...ledger, grants, grantedBy };
}

/** Turns under way are in it. */
function amountsOf({ settled, reservations }: Pick<DayLedger, 'settled' | 'reservations'>): BudgetAmounts {
  const { ms, ...amounts } = sumOf([settled, reservedOf(reservations)]);
  return { ...amounts, minutes: ms / MINUTE_MS };
}

function reservedOf(reservations: DayLedger['reservations']): DayUse {
  return sumOf(reservations.map((held) => ({ ...held, turns: 1 })));
}

function expectedOf({ turns, ms, microUsd, tokens }: DayUse): Omit<DayUse, 'turns'> {
  const mean = (total: number) => (turns === 0 ? 0 : Math.round(total / turns));
  return { ms: mean(ms), microUsd: mean(microUsd), tokens: mean(tokens) };
}

function sumOf(uses: readonly DayUse[]): DayUse {
  const total = (field: keyof DayUse) => uses.reduce((sum, use) => sum + use[field], 0);
  return { turns: total('turns'), ms: total('ms'), microUsd: total('microUsd'), tokens: total('tokens') };
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

function endOf(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + DAY_MS).toISOString();
}
