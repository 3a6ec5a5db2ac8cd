/** Closed runs whose heads are sent to the queue of `main` by Temporal's own means, each with a file of its own. */
import { expect } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import {
  MERGE_QUEUE_WORKFLOW,
  type MergeQueueView,
  mergeQueueId,
  type QueueEntry,
} from '../../protocol/actors/merge-queue.js';
import type { RunInput, RunResult } from '../../protocol/messages/messages.js';
import { STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import type { TestHost } from './test-host.js';
import type { TestRepository } from './test-repository.js';

export async function closedRun(
  host: TestHost,
  repository: TestRepository,
  input: Pick<RunInput, 'rewind'> & Partial<Pick<RunInput, 'task'>> = {},
): Promise<string> {
  const run = await host.startRun(repository, { task: 'write a file', attended: false, ...input });
  const { outcome, error } = await run.result();
  expect({ outcome, error }).toEqual({ outcome: 'merge_ready', error: null });
  return run.runId;
}

export interface Queue {
  readonly handle: WorkflowHandle;
  view(): Promise<MergeQueueView>;
  /** It is empty. */
  ended(): Promise<MergeQueueView>;
}

/** In this order. `part`: of each entry. */
export async function enqueueAll(
  host: TestHost,
  runs: readonly string[],
  part: Partial<Pick<QueueEntry, 'id' | 'watch' | 'head'>> = {},
): Promise<Queue> {
  const [first = ''] = runs;
  const { source } = (await host.client.workflow.getHandle(first).result()) as RunResult; // Runs answer this.
  const queue = { repoKey: source?.repoKey ?? '', branch: 'main' };
  const workflowId = mergeQueueId(queue);
  for (const runId of runs) {
    const since = new Date().toISOString();
    const entry = {
      id: `hand/1/${runId}/1`,
      owner: 'hand',
      runId,
      host: host.hostId,
      repoKey: queue.repoKey,
      since,
      ...part,
    };
    await host.client.workflow.signalWithStart(MERGE_QUEUE_WORKFLOW, {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [queue],
      signal: 'enqueue',
      signalArgs: [entry],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  }
  const handle = host.client.workflow.getHandle(workflowId);
  return {
    handle,
    view: () => handle.query<MergeQueueView>(STATUS_QUERY),
    ended: () => handle.result() as Promise<MergeQueueView>,
  };
}
