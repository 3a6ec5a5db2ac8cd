import { type HistoryAndWorkflowId, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createSerializer } from '../../config/system/serialize.js';
import { installQuietRuntime } from './quiet-runtime.js';
import { BUNDLE_PATH } from './stub-host.js';

/** The runtime ends with the last worker of its process, and one that begins just then has none. */
const serialize = createSerializer();

/** Why those of these workflows that no worker could load again cannot be. One that the server does not know has nothing to load. */
export async function replayErrors(handles: readonly WorkflowHandle[]): Promise<readonly string[]> {
  const histories = (await Promise.all(handles.map(historyOf))).filter((history) => history !== null);
  return serialize('', () => replay(histories));
}

async function historyOf(handle: WorkflowHandle): Promise<HistoryAndWorkflowId | null> {
  try {
    return { workflowId: handle.workflowId, history: await handle.fetchHistory() };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

async function replay(histories: readonly HistoryAndWorkflowId[]): Promise<readonly string[]> {
  installQuietRuntime();
  const errors: string[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle: { codePath: BUNDLE_PATH } },
    histories,
  ))
    if (error !== undefined) errors.push(`${workflowId}: ${error.message}`);
  return errors;
}
