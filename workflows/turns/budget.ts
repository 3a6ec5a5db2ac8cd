/** The budget of one run: counted in workflow state, failed attempts included, checked before each turn. Pure. Source: V-130. */
import type { BudgetLimitData } from '../../protocol/messages/event-data.js';
import type { BudgetUse } from '../../protocol/messages/run-view.js';
import { TURN_OUTCOMES, type TurnOutcomeKind } from '../../protocol/run/outcomes.js';
import type { Adapter, BudgetPolicy } from '../../protocol/run/policy.js';

export const NOTHING_USED: BudgetUse = { turns: 0, minutes: 0, microUsd: 0, grants: 0 };

/** The first limit that is reached, or null. A grant allows the whole budget once more. Compared as counted; only what people read is rounded. */
export function reachedLimit(
  budget: BudgetPolicy,
  used: BudgetUse,
): Pick<BudgetLimitData, 'limit' | 'used' | 'allowed'> | null {
  const limits = [
    { limit: 'turns', spent: used.turns, budgeted: budget.turns, shown: (turns: number) => turns },
    {
      limit: 'minutes',
      spent: used.minutes,
      budgeted: budget.minutes,
      shown: (minutes: number) => Math.round(minutes * 100) / 100,
    },
    {
      limit: 'usd',
      spent: used.microUsd,
      budgeted: budget.microUsd,
      shown: (microUsd: number) => microUsd / 1_000_000,
    },
  ] as const;
  for (const { limit, spent, budgeted, shown } of limits) {
    if (budgeted === null) continue;
    const allowed = budgeted * (1 + used.grants);
    if (spent >= allowed) return { limit, used: shown(spent), allowed: shown(allowed) };
  }
  return null;
}

export function withTurn(
  used: BudgetUse,
  turn: { readonly durationMs: number; readonly costMicroUsd: number | null },
): BudgetUse {
  return {
    ...used,
    turns: used.turns + 1,
    minutes: used.minutes + turn.durationMs / 60_000,
    microUsd: used.microUsd + (turn.costMicroUsd ?? 0),
  };
}

/** Null: nobody knows. The scripted agent pays nobody, so what it does not tell is nothing. */
export function costOf(
  { costMicroUsd }: { readonly costMicroUsd: number | null },
  adapter: Adapter | null,
): number | null {
  return costMicroUsd ?? (adapter === 'scripted' ? 0 : null);
}

interface PaidTurn {
  readonly agent: { readonly name: string; readonly adapter: Adapter } | null;
  readonly outcome: { readonly kind: TurnOutcomeKind };
  readonly costMicroUsd: number | null;
}

/** Why the run cannot go on: a limit of money that nobody counts would be a false promise. Null: it can. */
export function uncountedCost({ microUsd, day }: BudgetPolicy, turn: PaidTurn): string | null {
  const cap = microUsd ?? day?.microUsd ?? null;
  if (cap === null || !TURN_OUTCOMES[turn.outcome.kind].isPaid || costOf(turn, turn.agent?.adapter ?? null) !== null)
    return null;
  const key = microUsd === null ? 'budget.day.usd' : 'budget.run.usd';
  return `the agent ${turn.agent?.name ?? ''} did not tell what its turn cost, so ${key} ($${cap / 1_000_000}) cannot be kept; without that limit, or with an agent that tells it, the run can go on`;
}
