/** The budget of one run: counted in workflow state, failed attempts included, checked before each turn. Pure. Source: V-130. */
import type { BudgetUse } from '../../protocol/messages/run-view.js';
import { TURN_OUTCOMES, type TurnOutcomeKind } from '../../protocol/run/outcomes.js';
import type { Adapter, BudgetPolicy } from '../../protocol/run/policy.js';

export const NOTHING_USED: BudgetUse = { turns: 0, minutes: 0, microUsd: 0, tokens: 0, grants: 0 };

/** What a turn tells of itself; null: nobody knows. */
interface Told {
  readonly costMicroUsd: number | null;
  readonly tokens: number | null;
}

export function withTurn(used: BudgetUse, turn: Told & { readonly durationMs: number }): BudgetUse {
  return {
    ...used,
    turns: used.turns + 1,
    minutes: used.minutes + turn.durationMs / 60_000,
    microUsd: used.microUsd + (turn.costMicroUsd ?? 0),
    tokens: used.tokens + (turn.tokens ?? 0),
  };
}

/** The scripted agent pays nobody, so what it does not tell is nothing. */
export function toldBy({ costMicroUsd, tokens }: Told, adapter: Adapter | null): Told {
  const untold = adapter === 'scripted' ? 0 : null;
  return { costMicroUsd: costMicroUsd ?? untold, tokens: tokens ?? untold };
}

interface PaidTurn extends Told {
  readonly agent: { readonly name: string; readonly adapter: Adapter } | null;
  readonly outcome: { readonly kind: TurnOutcomeKind };
}

/** Limits of what only the agent can tell. */
const TOLD_LIMITS = [
  { field: 'microUsd', told: 'costMicroUsd', key: 'usd', what: 'what its turn cost', show: usd },
  { field: 'tokens', told: 'tokens', key: 'tokens', what: 'the tokens of its turn', show: String },
] as const;

/** Why the run cannot go on: a limit of what nobody counts would be a false promise. Null: it can. */
export function uncountedLimit({ day, ...own }: BudgetPolicy, turn: PaidTurn): string | null {
  if (!TURN_OUTCOMES[turn.outcome.kind].isPaid) return null;
  const said = toldBy(turn, turn.agent?.adapter ?? null);
  for (const { field, told, key, what, show } of TOLD_LIMITS) {
    const cap = own[field] ?? day?.[field] ?? null;
    if (cap === null || said[told] !== null) continue;
    const named = `budget.${own[field] === null ? 'day' : 'run'}.${key} (${show(cap)})`;
    return `the agent ${turn.agent?.name ?? ''} did not tell ${what}, so ${named} cannot be kept; without that limit, or with an agent that tells it, the run can go on`;
  }
  return null;
}

function usd(micro: number): string {
  return `$${micro / 1_000_000}`;
}
