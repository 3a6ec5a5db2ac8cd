/** The quota gate that a run of a test waits at. */
import type { WorkflowHandle } from '@temporalio/client';
import { quotaGateId } from '../../protocol/names.js';
import { detailsOf } from './run-steps.js';

/** Of the account that works in executing; the execution that is there now, for its next one would begin anew. */
export async function quotaGateOf(run: WorkflowHandle): Promise<WorkflowHandle> {
  const { policy } = await detailsOf(run);
  const { client } = run;
  const gate = client.getHandle(quotaGateId(policy?.agentOf.executing?.account ?? ''));
  return client.getHandle(gate.workflowId, (await gate.describe()).runId);
}
