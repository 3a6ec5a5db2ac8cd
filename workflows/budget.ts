/** The budget of one run: counted in workflow state, failed attempts included, checked before each turn. Pure. Source: V-130. */
import type { BudgetLimitData } from '../protocol/event-data.js';
import type { BudgetPolicy } from '../protocol/policy.js';
import type { BudgetUse } from '../protocol/run-view.js';

export const NOTHING_USED: BudgetUse = { turns: 0, minutes: 0, microUsd: 0, grants: 0 };

/** The first limit that is reached, or null. A grant allows the whole budget once more. Compared as counted; only what people read is rounded. */
export function reachedLimit(budget: BudgetPolicy, used: BudgetUse): BudgetLimitData | null {
  const limits = [
    { limit: 'turns', spent: used.turns, budgeted: budget.turns, shown: (turns: number) => turns },
    { limit: 'minutes', spent: used.minutes, budgeted: budget.minutes, shown: (minutes: number) => Math.round(minutes * 100) / 100 },
    { limit: 'usd', spent: used.microUsd, budgeted: budget.microUsd, shown: (microUsd: number) => microUsd / 1_000_000 },
  ] as const;
  for (const { limit, spent, budgeted, shown } of limits) {
    if (budgeted === null) continue;
    const allowed = budgeted * (1 + used.grants);
    if (spent >= allowed) return { limit, used: shown(spent), allowed: shown(allowed) };
  }
  return null;
}

export function withTurn(used: BudgetUse, turn: { readonly durationMs: number; readonly costMicroUsd?: number | null }): BudgetUse {
  return {
    ...used,
    turns: used.turns + 1,
    minutes: used.minutes + turn.durationMs / 60_000,
    microUsd: used.microUsd + (turn.costMicroUsd ?? 0),
  };
}
