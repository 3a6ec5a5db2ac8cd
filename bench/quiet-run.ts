/** Whether a run does nothing but what it is measured in: the journal's own activities are over. */
import type { WorkflowHandle } from '@temporalio/client';

/** `running`: how many activities may be under way. */
export async function isQuiet(handle: WorkflowHandle, running: number): Promise<boolean> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).length === running && raw.pendingWorkflowTask == null;
}
