/** What the facade can do for `sluice budget`: ask the ledger of a project what of the day's budget is used. */
import type { Client } from '@temporalio/client';
import type { DayBudgetView } from '../protocol/day-budget.js';
import { STATUS_QUERY } from '../protocol/names.js';

export interface DayBudgetCalls {
  /** Null where there is no ledger yet. Errors: a deadline where no worker answers. */
  dayBudget(workflowId: string): Promise<DayBudgetView | null>;
}

/** `within` gives a call its deadline. */
export function dayBudgetCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): DayBudgetCalls {
  return {
    async dayBudget(workflowId) {
      try {
        return await within(() => client.workflow.getHandle(workflowId).query<DayBudgetView>(STATUS_QUERY));
      } catch (error) {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
        throw error;
      }
    },
  };
}
