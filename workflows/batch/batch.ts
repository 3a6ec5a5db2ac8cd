/**
 * A list of tasks as child runs, a few at once, or handed in to the backlogs of their repositories, and one result table. A run that fails or is refused stops no other.
 * Waits for: its child runs; Update and Signal `abort`; native cancellation means abort. It polls nothing.
 * Survives: the loss of worker and server. A repeat under the same id starts only what was never started.
 * Ends: always completed, with the table; only a start input that cannot be read fails it. It hands over to none, since its children are its own.
 */

import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchView } from '../../protocol/actors/batch.js';
import { badInputFailure, readRefusal } from '../../protocol/text/refusal.js';
import { LiveActor } from '../actor/live.js';
import { startRun } from '../actor/start-run.js';
import { BATCH_RULES, type Fate, readBatchMessage, show, tableOf, viewOf } from './batch-table.js';
import { batchIdOf, checkBatchInput, type PlannedTask, planTasks } from './batch-tasks.js';
import { handIn } from './hand-in.js';

export async function batch(input: BatchInput): Promise<BatchView> {
  const { tasks, concurrency, to } = checked(input);
  const { workflowId } = workflowInfo();
  const batchId = batchIdOf(workflowId);
  const work = to === 'backlog' ? handTask : runTask;
  // The children live in it.
  const scope = new CancellationScope();
  const actor = new LiveActor(
    {
      rules: BATCH_RULES,
      first: tableOf({ batchId, workflowId, tasks: planTasks(batchId, tasks), concurrency }),
      signals: ['abort'],
      updates: ['abort'],
      read: readBatchMessage,
      async perform(errand, tell) {
        if (errand.kind === 'cancel') scope.cancel();
        else await scope.run(() => work(errand.task, (fate) => tell({ kind: 'became', place: errand.place, fate })));
      },
      show,
      view: viewOf,
    },
    null,
  );
  scope.cancelRequested.catch(() => actor.tell({ kind: 'abort', note: null }));
  actor.tell({ kind: 'begin' });
  return CancellationScope.nonCancellable(() => actor.live(null));
}

async function handTask(task: PlannedTask, become: (fate: Fate) => void): Promise<void> {
  become(await handIn(task));
}

async function runTask({ runId, input }: PlannedTask, become: (fate: Fate) => void): Promise<void> {
  try {
    const child = await startRun(runId, input, ParentClosePolicy.REQUEST_CANCEL);
    become({ state: 'running' });
    const { outcome, blockedReason, branch, error } = await child.result();
    become({ state: 'ended', outcome, blockedReason, branch, error });
  } catch (err) {
    if (err instanceof WorkflowExecutionAlreadyStartedError) become({ state: 'skipped' });
    else if (err instanceof ChildWorkflowFailure && !isCancellation(err))
      become({ state: 'refused', error: reasonOf(err) });
    else if (isCancellation(err)) become({ state: 'not_started' });
    else throw err;
  }
}

/** Of a refusal what was refused; the rest is in the run's own history. */
function reasonOf({ cause, message }: ChildWorkflowFailure): string {
  return readRefusal(cause)?.what ?? cause?.message ?? message;
}

function checked(value: unknown): Extract<ReturnType<typeof checkBatchInput>, { kind: 'ok' }> {
  const check = checkBatchInput(value);
  if (check.kind === 'ok') return check;
  throw ApplicationFailure.create(badInputFailure(check.field, check.message));
}
