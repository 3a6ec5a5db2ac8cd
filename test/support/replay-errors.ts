import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { installQuietRuntime } from './quiet-runtime.js';
import { BUNDLE_PATH } from './stub-host.js';

/** Why those of these workflows that no worker could load again cannot be. */
export async function replayErrors(handles: readonly WorkflowHandle[]): Promise<readonly string[]> {
  installQuietRuntime();
  const histories = await Promise.all(
    handles.map(async (handle) => ({ workflowId: handle.workflowId, history: await handle.fetchHistory() })),
  );
  const replays = Worker.runReplayHistories({ workflowBundle: { codePath: BUNDLE_PATH } }, histories);
  const errors: string[] = [];
  for await (const { workflowId, error } of replays)
    if (error !== undefined) errors.push(`${workflowId}: ${error.message}`);
  return errors;
}
