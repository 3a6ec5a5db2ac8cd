/**
 * The budget of a day: what a run asks of the workflow `budget:<project>` and what that workflow answers and keeps. Runs and ledger speak by signals,
 * so every argument is read by hand: what cannot be read is nobody's. The day is that of UTC (docs/decisions/0014-a-budget-day-is-utc.md).
 */

import { BUDGET_LIMITS, type BudgetLimit } from '../run/budget-limits.js';
import type { DayBudgetPolicy } from '../run/policy.js';
import { amountIn, fieldsOf, nameIn, wordIn } from '../text/fields.js';

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
  readonly usage: {
    readonly durationMs: number;
    readonly costMicroUsd: number | null;
    readonly tokens: number | null;
  } | null;
}

export type BudgetAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly day: string }
  | {
      readonly kind: 'full';
      readonly token: string;
      readonly day: string;
      readonly limit: BudgetLimit;
      /** Unit of `used` and `allowed`: turns, minutes, USD, tokens. Turns under way are in `used`. */
      readonly used: number;
      readonly allowed: number;
      readonly underWay: number;
      /** ISO 8601, UTC. */
      readonly resetsAt: string;
    };

/** Unit: turns, ms, integer micro-dollars, tokens. */
export interface DayUse {
  readonly turns: number;
  readonly ms: number;
  readonly microUsd: number;
  readonly tokens: number;
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

/** Null: it cannot be read, as below. */
export function readReserve(value: unknown): ReserveRequest | null {
  const fields = fieldsOf(value);
  const [token, workflowId, executionRunId] = [
    nameIn(fields, 'token'),
    nameIn(fields, 'workflowId'),
    nameIn(fields, 'executionRunId'),
  ];
  const [limits, grant] = [readLimits(fields['limits']), nameIn(fields, 'grant')];
  if (token === null || workflowId === null || executionRunId === null || limits === null) return null;
  return (fields['grant'] ?? null) === grant ? { token, workflowId, executionRunId, limits, grant } : null;
}

/** A negative or endless number counts as nothing known. */
export function readSettlement(value: unknown): Settlement | null {
  const fields = fieldsOf(value);
  const [token, day, used] = [nameIn(fields, 'token'), nameIn(fields, 'day'), fieldsOf(fields['usage'])];
  if (token === null || day === null) return null;
  const durationMs = amountIn(used, 'durationMs');
  return {
    token,
    day,
    usage:
      durationMs === null
        ? null
        : { durationMs, costMicroUsd: amountIn(used, 'costMicroUsd'), tokens: amountIn(used, 'tokens') },
  };
}

/** What a run starts the ledger of its project with. */
export interface LedgerStart {
  readonly project: string;
}

export function readBudgetAnswer(value: unknown): BudgetAnswer | null {
  const fields = fieldsOf(value);
  const [kind, token, day] = [
    wordIn(fields, 'kind', ['granted', 'full']),
    nameIn(fields, 'token'),
    nameIn(fields, 'day'),
  ];
  if (kind === null || token === null || day === null) return null;
  if (kind === 'granted') return { kind, token, day };
  const limit = wordIn(fields, 'limit', BUDGET_LIMITS);
  const [used, allowed, underWay] = [
    amountIn(fields, 'used'),
    amountIn(fields, 'allowed'),
    amountIn(fields, 'underWay'),
  ];
  const resetsAt = nameIn(fields, 'resetsAt');
  if (limit === null || used === null || allowed === null || underWay === null || resetsAt === null) return null;
  return { kind, token, day, limit, used, allowed, underWay, resetsAt };
}

/** What is left out is no limit; 0 is none that could be kept. */
function readLimits(value: unknown): DayBudgetPolicy | null {
  const fields = fieldsOf(value);
  const limits: DayBudgetPolicy = {
    turns: amountIn(fields, 'turns'),
    minutes: amountIn(fields, 'minutes'),
    microUsd: amountIn(fields, 'microUsd'),
    tokens: amountIn(fields, 'tokens'),
  };
  const isRead = Object.entries(limits).every(([name, limit]) => (fields[name] ?? null) === limit && limit !== 0);
  return isRead ? limits : null;
}
