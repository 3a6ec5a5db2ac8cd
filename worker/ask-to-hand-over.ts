/** After an upgrade: asks the long-lived workflows that decide by older rules than this build has for a new execution, which takes the newest. */
import type { WorkflowClient } from '@temporalio/client';
import type { Warn } from '../activities/unit/run-projection.js';
import { BACKLOG_WORKFLOW } from '../protocol/actors/backlog.js';
import { BUDGET_WORKFLOW } from '../protocol/actors/day-budget.js';
import { ITEM_WORKFLOW } from '../protocol/actors/item.js';
import { MERGE_QUEUE_WORKFLOW } from '../protocol/actors/merge-queue.js';
import { HAND_OVER_SIGNAL, LANDING_WORKFLOW, QUOTA_GATE_WORKFLOW } from '../protocol/names.js';
import { BACKLOG_RULES } from '../workflows/backlog/backlog-table.js';
import { LEDGER_RULES } from '../workflows/budget/ledger-rules.js';
import { ITEM_RULES } from '../workflows/item/item-table.js';
import { LANDING_RULES } from '../workflows/landing/landing-table.js';
import { QUEUE_RULES } from '../workflows/merge-queue/queue-table.js';
import { QUOTA_RULES } from '../workflows/quota/quota-table.js';

/** By type of workflow. A batch is none: its children are its own, so it keeps its rules to its end. */
const NEWEST: Readonly<Record<string, number>> = {
  [QUOTA_GATE_WORKFLOW]: QUOTA_RULES.length,
  [BUDGET_WORKFLOW]: LEDGER_RULES.length,
  [LANDING_WORKFLOW]: LANDING_RULES.length,
  [MERGE_QUEUE_WORKFLOW]: QUEUE_RULES.length,
  [BACKLOG_WORKFLOW]: BACKLOG_RULES.length,
  [ITEM_WORKFLOW]: ITEM_RULES.length,
};

type Server = Pick<WorkflowClient, 'list' | 'getHandle'>;

/** Each says in its memo by which rules it decides. Effects: one signal each; harmless when repeated. Errors: none, what fails is told to `warn`. */
export async function askToHandOver(workflow: Server, warn: Warn, newest = NEWEST): Promise<void> {
  for (const [type, rules] of Object.entries(newest)) {
    if (rules === 1) continue;
    try {
      for await (const { workflowId, memo } of workflow.list({
        query: `WorkflowType = "${type}" AND ExecutionStatus = "Running"`,
      })) {
        // One that has ended meanwhile hears nothing.
        if (memo?.['rules'] !== rules)
          await workflow
            .getHandle(workflowId)
            .signal(HAND_OVER_SIGNAL)
            .catch(() => undefined);
      }
    } catch (error) {
      warn('older workflows were not asked to hand over', { type, error: String(error) });
    }
  }
}
