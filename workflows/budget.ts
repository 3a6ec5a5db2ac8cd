/** The budget of one run: counted in workflow state, failed attempts included, checked before each turn. Pure. Source: V-130. */
import type { BudgetLimitData } from '../protocol/event-data.js';
import type { BudgetPolicy } from '../protocol/policy.js';
import type { BudgetUse } from '../protocol/run-view.js';

export const NOTHING_USED: BudgetUse = { turns: 0, minutes: 0, microUsd: 0, grants: 0 };

/** The first limit that is reached, or null. A grant allows the whole budget once more. */
export function reachedLimit(budget: BudgetPolicy, used: BudgetUse): BudgetLimitData | null {
  const limits = [
    { limit: 'turns', used: used.turns, allowed: budget.turns },
    { limit: 'minutes', used: used.minutes, allowed: budget.minutes },
    { limit: 'usd', used: used.microUsd / 1_000_000, allowed: budget.microUsd === null ? null : budget.microUsd / 1_000_000 },
  ] as const;
  for (const { limit, used: spent, allowed } of limits) {
    if (allowed === null || spent < allowed * (1 + used.grants)) continue;
    return { limit, used: shown(spent), allowed: shown(allowed * (1 + used.grants)) };
  }
  return null;
}

/** A figure for people; the limit itself is never compared with a rounded one. */
function shown(figure: number): number {
  return Number(figure.toFixed(6));
}

export function withTurn(used: BudgetUse, turn: { readonly durationMs: number; readonly costMicroUsd?: number | null }): BudgetUse {
  return {
    ...used,
    turns: used.turns + 1,
    minutes: used.minutes + turn.durationMs / 60_000,
    microUsd: used.microUsd + (turn.costMicroUsd ?? 0),
  };
}
