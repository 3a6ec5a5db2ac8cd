/** Who takes turns: what retries, budgets and the quota seat read of it, and what they keep in it. */

import type { BudgetUse, RunView } from '../../protocol/messages/run-view.js';
import type { BudgetPolicy, UsageLimitPolicy } from '../../protocol/run/policy.js';
import type { TurnName } from '../../protocol/run/turn-name.js';
import type { Stopped } from '../gates/gate.js';
import type { LineWriter } from '../journal/journal-flush.js';
import type { Notifier } from '../journal/notify.js';
import type { MoreBudget } from './ask-for-more.js';
import type { LedgerAnswers } from './ledger-answers.js';
import type { QuotaSeat } from './quota-seat.js';

/** What it is told of itself as it waits and goes on. */
export interface TurnTeller extends LineWriter {
  readonly notifier: Pick<Notifier, 'tell'>;
  readonly presenter: { show(): void };
}

export interface TurnOwner<Name extends TurnName> extends TurnTeller {
  readonly policy: { readonly usageLimit: UsageLimitPolicy; readonly budget: BudgetPolicy };
  /** Whose day budget it uses. */
  readonly project: string;
  readonly ledgerAnswers: Pick<LedgerAnswers, 'await' | 'forget'>;
  readonly quota: Pick<QuotaSeat, 'wait'>;
  waiting: RunView['waiting'];
  /** Waits for a usage limit that it had. */
  usageWaits: number;
  used: BudgetUse;
  /** A budget is used up. Null: a person allows the whole of it once more. */
  askForMore(turn: Name, more: MoreBudget): Promise<Stopped | null>;
}
