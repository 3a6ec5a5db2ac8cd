/** What a workflow cannot do by itself, on the queue of the workflows: it starts a workflow that may be there already. Touches no host. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../activities/index.js';
import { WORKFLOW_TASK_TIMEOUT } from '../protocol/limits.js';
import { QUOTA_GATE_WORKFLOW, quotaGateId, TASK_QUEUE } from '../protocol/names.js';

type Starter = Pick<WorkflowClient, 'signalWithStart'>;

export function createControlActivities(workflow: Starter): ControlActivities {
  return {
    async parkAtQuotaGate({ account, park }) {
      await workflow.signalWithStart(QUOTA_GATE_WORKFLOW, {
        ...{ workflowId: quotaGateId(account), taskQueue: TASK_QUEUE, args: [], signal: 'park', signalArgs: [park] },
        ...{ workflowIdReusePolicy: 'ALLOW_DUPLICATE', workflowIdConflictPolicy: 'USE_EXISTING' },
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: `usage limit of ${account}`,
      });
    },
  };
}
