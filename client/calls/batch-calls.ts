/** What the facade can do with a batch: start it, look at its table, wait for its end. Aborting it is a message like any other. */

import type { Client } from '@temporalio/client';
import type { TypedSearchAttributes } from '@temporalio/common';
import type { BatchInput, BatchView } from '../../protocol/actors/batch.js';
import { WORKFLOW_TASK_TIMEOUT } from '../../protocol/limits.js';
import { BATCH_WORKFLOW, type SearchAttributeName, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { pollInPieces } from './poll-in-pieces.js';
import { temporalClient, underRequestId } from './temporal-client.js';

export interface StartBatch {
  readonly workflowId: string;
  readonly input: BatchInput;
  /** Whether the namespace has our search attributes: a batch that is started with one keeps it current. */
  readonly searchAttributes: boolean;
  /** As of `StartRun`. */
  readonly requestId?: string;
}

/** As visibility shows it, the newest execution of each id. */
export interface ListedBatch {
  readonly workflowId: string;
  readonly execution: string;
  readonly startedAt: string;
  readonly closedAt: string | null;
}

const MAX_BATCHES = 200;

export interface BatchCalls {
  /** The newest first. */
  batches(): Promise<readonly ListedBatch[]>;
  /** `running`: a batch of this id is open; its own list counts, and this one was not taken. */
  startBatch(batch: StartBatch): Promise<'started' | 'running'>;
  /** Errors: WorkflowNotFoundError, QueryNotRegistered, or a deadline where no worker answers. */
  batchStatus(workflowId: string): Promise<BatchView>;
  /** Waits by long poll, until `stop`. Errors: WorkflowFailedError, whose cause says why. */
  batchResult(workflowId: string, stop: AbortSignal): Promise<BatchView>;
}

const STATUS: SearchAttributeName = 'SluiceStatus';

/** `within` gives a call its deadline. */
export function batchCalls(client: Client, within: <T>(call: () => Promise<T>) => Promise<T>): BatchCalls {
  return {
    batches: () => within(() => listBatches(client)),
    async startBatch({ workflowId, input, searchAttributes, requestId }) {
      const { WorkflowExecutionAlreadyStartedError } = temporalClient();
      const attributes = searchAttributes ? await runningAttributes() : null;
      try {
        await within(() =>
          client.workflow.start(BATCH_WORKFLOW, {
            workflowId,
            taskQueue: TASK_QUEUE,
            args: [input],
            workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
            workflowIdReusePolicy: 'ALLOW_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            ...(attributes === null ? {} : { typedSearchAttributes: attributes }),
            staticSummary: `${input.tasks.length} tasks`,
            ...underRequestId(requestId),
          }),
        );
        return 'started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'running';
        throw error;
      }
    },
    batchStatus: (workflowId) => within(() => client.workflow.getHandle(workflowId).query<BatchView>(STATUS_QUERY)),
    async batchResult(workflowId, stop) {
      const answer: unknown = await pollInPieces(stop, (signal) =>
        client.withAbortSignal(signal, () => client.workflow.getHandle(workflowId).result()),
      );
      return answer as BatchView; // The workflow type `batch` answers this.
    },
  };
}

async function listBatches({ workflow }: Client): Promise<readonly ListedBatch[]> {
  const newest = new Map<string, ListedBatch>();
  const query = `WorkflowType = "${BATCH_WORKFLOW}"`;
  for await (const { workflowId, status, startTime, closeTime } of workflow.list({ query, pageSize: MAX_BATCHES })) {
    const times = { startedAt: startTime.toISOString(), closedAt: closeTime?.toISOString() ?? null };
    if (!newest.has(workflowId)) newest.set(workflowId, { workflowId, execution: status.name, ...times });
    if (newest.size >= MAX_BATCHES) break;
  }
  return [...newest.values()];
}

async function runningAttributes(): Promise<TypedSearchAttributes> {
  const { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } = await import('@temporalio/common');
  return new TypedSearchAttributes([
    { key: defineSearchAttributeKey(STATUS, SearchAttributeType.KEYWORD), value: 'running' },
  ]);
}
