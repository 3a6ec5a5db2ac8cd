/** What hosts ask the server about workflows. */
import { type Client, type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { LandingDeps } from '../activities/landing/queue-place.js';
import { type MergeQueueView, mergeQueueId, NO_QUEUE, queueWordOf } from '../protocol/actors/merge-queue.js';
import type { Failpoint } from '../protocol/failpoints.js';
import type { RunResult } from '../protocol/messages/messages.js';
import { RUN_WORKFLOW, STATUS_QUERY } from '../protocol/names.js';
import { type RunWait, waitOf } from '../protocol/run/run-word.js';
import { type Fields, fieldsOf, nameIn } from '../protocol/text/fields.js';

interface Asking {
  /** Told of an execution that an activity outlived; nothing of the run itself will write its end. */
  readonly closed: (workflowId: string) => void;
  readonly failpoint: Failpoint;
}

export function askServer(client: Client, asking: Asking): Pick<LandingDeps, 'isOpen' | 'readAnswer' | 'readQueue'> {
  return {
    isOpen: createIsOpen(client, asking),
    readAnswer: createReadAnswer(client.workflow),
    readQueue: createReadQueue(client.workflow),
  };
}

/** For hosts that must decide whether a process or a run still belongs to anybody. */
function createIsOpen(client: Client, { closed, failpoint }: Asking): LandingDeps['isOpen'] {
  return async (workflowId, executionRunId) => {
    try {
      failpoint('server.before-describe');
      const { status } = await client.workflow.getHandle(workflowId, executionRunId ?? undefined).describe();
      failpoint('server.after-describe');
      if (status.name === 'RUNNING') return true;
      if (executionRunId !== null) closed(workflowId);
      return false;
    } catch (err) {
      if (err instanceof WorkflowNotFoundError) return false;
      throw err;
    }
  };
}

/** One that is closed has nothing. Errors: where no worker answers. */
function createReadQueue(workflow: Pick<WorkflowClient, 'getHandle'>): LandingDeps['readQueue'] {
  return async (queue) => {
    try {
      const handle = workflow.getHandle(mergeQueueId(queue));
      const { status } = await handle.describe();
      return status.name === 'RUNNING' ? queueWordOf(await handle.query<MergeQueueView>(STATUS_QUERY)) : NO_QUEUE;
    } catch (err) {
      if (err instanceof WorkflowNotFoundError) return NO_QUEUE;
      throw err;
    }
  };
}

/** Of an open run, by its memo. */
function standIn(memo: Fields): { readonly branch: string | null; readonly wait: RunWait | null } {
  const wait = waitOf(nameIn(memo, 'status'), nameIn(fieldsOf(memo['waiting']), 'kind'));
  return { branch: nameIn(memo, 'branch'), wait };
}

/** What a closed workflow answered, by the server's word alone. */
export function createReadAnswer(workflow: Pick<WorkflowClient, 'getHandle'>): LandingDeps['readAnswer'] {
  return async (workflowId) => {
    // The server takes no such question.
    if (workflowId === '') return { kind: 'none' };
    try {
      const handle = workflow.getHandle(workflowId);
      const { status, type, memo } = await handle.describe();
      const owner = nameIn(fieldsOf(memo), 'owner');
      if (status.name === 'RUNNING') return { kind: 'open', owner, ...standIn(fieldsOf(memo)) };
      if (status.name !== 'COMPLETED' || type !== RUN_WORKFLOW) return { kind: 'none' };
      // Workflows of this type answer this.
      return { kind: 'answer', owner, result: (await handle.result()) as RunResult };
    } catch (err) {
      if (err instanceof WorkflowNotFoundError) return { kind: 'none' };
      throw err;
    }
  };
}
