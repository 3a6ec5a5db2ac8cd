/** Who takes turns: what retries, budgets and the quota seat read of it, and what they keep in it. */

import type { BudgetUse, RunView } from '../../protocol/messages/run-view.js';
import type { BudgetPolicy, UsageLimitPolicy } from '../../protocol/run/policy.js';
import type { GateOwner } from '../gates/gate.js';
import type { QuotaSeat } from './quota-seat.js';

export interface TurnOwner extends GateOwner {
  readonly policy: GateOwner['policy'] & { readonly usageLimit: UsageLimitPolicy; readonly budget: BudgetPolicy };
  /** Whose day budget it uses. */
  readonly project: string;
  readonly quota: Pick<QuotaSeat, 'wait'>;
  waiting: RunView['waiting'];
  /** Waits for a usage limit that it had. */
  usageWaits: number;
  used: BudgetUse;
}
