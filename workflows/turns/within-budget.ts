/**
 * Takes a try at a turn that the budgets allow: that of its owner, counted in its state, and that of the project's day, kept by a ledger. One that
 * is used up stops the owner, or a person allows the whole of it once more. Source: V-130.
 */
import { uuid4 } from '@temporalio/workflow';
import type { BudgetLimitData } from '../../protocol/messages/event-data.js';
import { budgetRows, type ReachedLimit, reachedLimit } from '../../protocol/run/budget-limits.js';
import type { DayBudgetPolicy } from '../../protocol/run/policy.js';
import type { TurnName } from '../../protocol/run/turn-name.js';
import type { Stopped } from '../gates/gate.js';
import { askLedger, type DayTurn, settling, type Used, whyFull } from './day-budget.js';
import type { TurnOwner } from './turn-owner.js';

export async function withinBudget<Name extends TurnName, Try extends Used>(
  owner: TurnOwner<Name>,
  turn: Name,
  take: () => Promise<Try>,
): Promise<Try | Stopped> {
  const stopped = await passLimits(owner, turn);
  const { day } = owner.policy.budget;
  if (stopped !== null || day === null) return stopped ?? take();
  const reserved = await reserve(owner, turn, day);
  return 'kind' in reserved ? reserved : settling(owner, reserved, take);
}

/** Null: the try may start. */
async function passLimits<Name extends TurnName>(owner: TurnOwner<Name>, turn: Name): Promise<Stopped | null> {
  for (;;) {
    const reached = reachedOwn(owner);
    if (reached === null) return null;
    const data = { ...reached, day: null, resetsAt: null };
    const why = `the run used ${data.used} of ${data.allowed} ${data.limit}`;
    const stopped = await askForMore(owner, turn, { why, data, action: 'allow the whole budget once more' });
    if (stopped !== null) return stopped;
    // As often as it takes: one turn may have used the whole budget several times.
    do owner.used = { ...owner.used, grants: owner.used.grants + 1 };
    while (reachedOwn(owner) !== null);
  }
}

function reachedOwn({ policy, used }: Pick<TurnOwner<never>, 'policy' | 'used'>): ReachedLimit | null {
  return reachedLimit(budgetRows(used, policy.budget, used.grants));
}

async function reserve<Name extends TurnName>(
  owner: TurnOwner<Name>,
  turn: Name,
  limits: DayBudgetPolicy,
): Promise<Stopped | DayTurn> {
  for (let grant: string | null = null; ; grant = uuid4()) {
    const answer = await askLedger(owner, limits, grant);
    if (answer.kind === 'granted') return { token: answer.token, day: answer.day };
    const { limit, used, allowed, day, resetsAt } = answer;
    const data = { limit, used, allowed, day, resetsAt };
    const action = "allow the day's whole budget once more, for all runs of the project";
    const stopped = await askForMore(owner, turn, { why: whyFull(answer), data, action });
    if (stopped !== null) return stopped;
  }
}

type Reached = Readonly<{ why: string; data: BudgetLimitData; action: string }>;

/** Null: a person allows it. */
async function askForMore<Name extends TurnName>(
  owner: TurnOwner<Name>,
  turn: Name,
  { why, data, action }: Reached,
): Promise<Stopped | null> {
  owner.journal.note('budget.limit', why, data);
  owner.notifier.tell('budget_reached', why);
  if (owner.policy.budget.onLimit === 'stop') return { kind: 'stopped', reason: 'budget', error: why };
  return owner.askForMore(turn, { why, action });
}
