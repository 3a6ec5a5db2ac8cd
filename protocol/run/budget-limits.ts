/**
 * What a budget limits, of a run and of a day, one row each: which of them is reached, and what is left. Pure.
 * A limit more is a row here, its field in what turns use, and its two config keys.
 */

/** `field`: of policies and of what was used. `unit`: what people read one of, as it is counted. `digits`: what they read of it behind the point. */
const ROWS = {
  turns: { field: 'turns', unit: 1, digits: 0 },
  minutes: { field: 'minutes', unit: 1, digits: 2 },
  usd: { field: 'microUsd', unit: 1_000_000, digits: 6 },
  tokens: { field: 'tokens', unit: 1, digits: 0 },
} as const;

export type BudgetLimit = keyof typeof ROWS;
type BudgetField = (typeof ROWS)[BudgetLimit]['field'];

// The keys of the table are its type.
export const BUDGET_LIMITS = Object.keys(ROWS) as BudgetLimit[];

/** Null: no limit. */
export type BudgetLimits = Readonly<Record<BudgetField, number | null>>;
export type BudgetAmounts = Readonly<Record<BudgetField, number>>;

/** Shape: `allowed` and `left` are null where nothing is limited. Unit: turns, minutes, USD, tokens. */
export interface BudgetRow {
  readonly of: BudgetLimit;
  readonly used: number;
  readonly allowed: number | null;
  readonly left: number | null;
}

/** A grant allows the whole budget once more. Null: no limits are known. */
export function budgetRows(used: BudgetAmounts, limits: BudgetLimits | null, grants: number): readonly BudgetRow[] {
  return BUDGET_LIMITS.map((of) => {
    const { field, unit } = ROWS[of];
    const limit = limits?.[field] ?? null;
    const allowed = limit === null ? null : limit * (1 + grants);
    const left = allowed === null ? null : Math.max(0, allowed - used[field]) / unit;
    return { of, used: used[field] / unit, allowed: allowed === null ? null : allowed / unit, left };
  });
}

export interface ReachedLimit {
  readonly limit: BudgetLimit;
  readonly used: number;
  readonly allowed: number;
}

/** The first limit that is reached, or null. Compared as counted; only what people read is rounded. */
export function reachedLimit(rows: readonly BudgetRow[]): ReachedLimit | null {
  for (const { of, used, allowed, left } of rows) {
    if (allowed !== null && left === 0) return { limit: of, used: rounded(of, used), allowed: rounded(of, allowed) };
  }
  return null;
}

function rounded(limit: BudgetLimit, value: number): number {
  const factor = 10 ** ROWS[limit].digits;
  return Math.round(value * factor) / factor;
}
