/** What the facade tells of the ledgers that keep the budgets of days. */
import type { Client } from '@temporalio/client';
import { nameOf } from '../../config/system/error-code.js';
import { BUDGET_WORKFLOW, type DayBudgetView } from '../../protocol/actors/day-budget.js';
import { STATUS_QUERY } from '../../protocol/names.js';

export interface ListedLedger {
  readonly workflowId: string;
  /** Null where no worker answers. */
  readonly view: DayBudgetView | null;
}

export interface LedgerCalls {
  /** What of a project's day is used; null where there is no ledger yet. Errors: a deadline where no worker answers. */
  dayBudget(workflowId: string): Promise<DayBudgetView | null>;
  /** The open ones, sorted by id. */
  ledgers(): Promise<readonly ListedLedger[]>;
}

/** More projects with a budget nobody has. */
const MAX_LEDGERS = 50;

/** `within` gives a call its deadline. */
export function ledgerCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): LedgerCalls {
  const viewOf = (workflowId: string) =>
    within(() => client.workflow.getHandle(workflowId).query<DayBudgetView>(STATUS_QUERY));
  return {
    dayBudget: (workflowId) =>
      viewOf(workflowId).catch((error: unknown) => {
        if (nameOf(error) === 'WorkflowNotFoundError') return null;
        throw error;
      }),
    async ledgers() {
      const ids = await within(() => listLedgers(client));
      const listed = ids.map(async (workflowId) => ({ workflowId, view: await viewOf(workflowId).catch(() => null) }));
      return Promise.all(listed);
    },
  };
}

async function listLedgers({ workflow }: Client): Promise<readonly string[]> {
  const query = `WorkflowType = "${BUDGET_WORKFLOW}" AND ExecutionStatus = "Running"`;
  const ids: string[] = [];
  for await (const { workflowId } of workflow.list({ query, pageSize: MAX_LEDGERS })) {
    ids.push(workflowId);
    if (ids.length >= MAX_LEDGERS) break;
  }
  return ids.toSorted((a, b) => a.localeCompare(b));
}
