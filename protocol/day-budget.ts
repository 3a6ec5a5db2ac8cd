/**
 * The budget of a day: what a run asks of the workflow `budget:<project>` and what that workflow answers and keeps. Runs and ledger speak by signals,
 * so every argument is read by hand: what cannot be read is nobody's. The day is that of UTC (docs/decisions/0014-a-budget-day-is-utc.md).
 */
import type { DayBudgetPolicy } from './policy.js';

export const BUDGET_WORKFLOW = 'budget';

/** Of the ledger. */
export const RESERVE_SIGNAL = 'reserve';
export const SETTLE_SIGNAL = 'settle';
export const RELEASE_SIGNAL = 'release';

/** Of the run that asked. */
export const BUDGET_ANSWER_SIGNAL = 'budgetAnswer';

export function budgetWorkflowId(project: string): string {
  return `${BUDGET_WORKFLOW}:${project}`;
}

/** One turn that a run wants to start. */
export interface ReserveRequest {
  /** Of the reservation; a repeat is answered alike and reserves nothing more. */
  readonly token: string;
  readonly workflowId: string;
  /** Of the execution that waits for the answer. */
  readonly executionRunId: string;
  readonly limits: DayBudgetPolicy;
  /** Names a person's word that the whole budget may be used once more; null: nobody gave it. */
  readonly grant: string | null;
}

/** What a turn used. Null: nobody knows, and it counts as was reserved for it. */
export interface Settlement {
  readonly token: string;
  /** As the answer named it: a turn counts for the day on which it was reserved. */
  readonly day: string;
  readonly usage: { readonly durationMs: number; readonly costMicroUsd: number | null } | null;
}

export type BudgetAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly day: string }
  | {
      readonly kind: 'full';
      readonly token: string;
      readonly day: string;
      readonly limit: 'turns' | 'minutes' | 'usd';
      /** Unit of `used` and `allowed`: turns, minutes, USD. Turns under way are in `used`. */
      readonly used: number;
      readonly allowed: number;
      readonly underWay: number;
      /** ISO 8601, UTC. */
      readonly resetsAt: string;
    };

/** Unit: turns, ms, integer micro-dollars. */
export interface DayUse {
  readonly turns: number;
  readonly ms: number;
  readonly microUsd: number;
}

/** One turn under way, with what is expected of it. */
export interface Reservation {
  readonly token: string;
  readonly workflowId: string;
  readonly executionRunId: string;
  readonly ms: number;
  readonly microUsd: number;
}

/** What the ledger carries from one execution to the next. Of other days it keeps nothing. */
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

/** Start input of `budget`; everything but the project is what an execution hands to the next. */
export interface LedgerInput {
  readonly project: string;
  readonly ledger?: DayLedger;
  /** Requests that came while the last execution was ending. */
  readonly waiting?: readonly ReserveRequest[];
  /** Events after which it continues as new; unsaid: when the server suggests it. */
  readonly maxHistory?: number;
}

/** The answer of Query `status` of the ledger. */
export interface DayBudgetView {
  readonly project: string;
  readonly day: string;
  readonly resetsAt: string;
  readonly settled: DayUse;
  /** Of the turns under way. */
  readonly reserved: DayUse;
  readonly grants: number;
}

/** Null: it cannot be read. */
export function readReserve(value: unknown): ReserveRequest | null {
  const { token, workflowId, executionRunId, limits, grant = null } = fieldsOf(value);
  const { turns = null, minutes = null, microUsd = null } = fieldsOf(limits);
  if (!isName(token) || !isName(workflowId) || !isName(executionRunId) || !(grant === null || isName(grant))) return null;
  if (!isLimit(turns) || !isLimit(minutes) || !isLimit(microUsd)) return null;
  return { token, workflowId, executionRunId, limits: { turns, minutes, microUsd }, grant };
}

/** Null: it cannot be read. A negative or endless number counts as nothing known. */
export function readSettlement(value: unknown): Settlement | null {
  const { token, day, usage = null } = fieldsOf(value);
  if (!isName(token) || !isName(day)) return null;
  const { durationMs, costMicroUsd } = fieldsOf(usage);
  if (!isAmount(durationMs)) return { token, day, usage: null };
  return { token, day, usage: { durationMs, costMicroUsd: isAmount(costMicroUsd) ? costMicroUsd : null } };
}

export function readRelease(value: unknown): string | null {
  const { token } = fieldsOf(value);
  return isName(token) ? token : null;
}

/** Null: it cannot be read, or is of a later engine. */
export function readBudgetAnswer(value: unknown): BudgetAnswer | null {
  const { kind, token, day, limit, used, allowed, underWay, resetsAt } = fieldsOf(value);
  if (!isName(token) || !isName(day)) return null;
  if (kind === 'granted') return { kind, token, day };
  if (kind !== 'full' || !isAmount(used) || !isAmount(allowed) || !isAmount(underWay) || !isName(resetsAt)) return null;
  if (limit !== 'turns' && limit !== 'minutes' && limit !== 'usd') return null;
  return { kind, token, day, limit, used, allowed, underWay, resetsAt };
}

const MAX_NAME_CHARS = 300;

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isLimit(value: unknown): value is number | null {
  return value === null || (isAmount(value) && value > 0);
}
