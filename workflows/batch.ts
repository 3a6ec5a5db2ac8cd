/**
 * A list of tasks as child runs, a few at once, and one result table. A run that fails or is refused stops no other.
 * Waits for: its child runs; Update and Signal `abort`; native cancellation means abort. It polls nothing.
 * Survives: the loss of worker and server. A repeat under the same id starts only what was never started.
 * Ends: always completed, with the table; only a start input that cannot be read fails it.
 */
import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  log,
  ParentClosePolicy,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchView } from '../protocol/batch.js';
import { FAILURES } from '../protocol/failures.js';
import { WORKFLOW_TASK_TIMEOUT } from '../protocol/limits.js';
import type { RunResult } from '../protocol/messages.js';
import { RUN_WORKFLOW, STATUS_QUERY, TASK_QUEUE } from '../protocol/names.js';
import { titleOf } from '../protocol/run-input.js';
import { type MessageAnswer, type RunMessage, readRunMessage } from '../protocol/run-message.js';
import { BatchPresenter } from './batch-presenter.js';
import { BatchTable } from './batch-table.js';
import { batchIdOf, checkBatchInput, type PlannedTask, planTasks } from './batch-tasks.js';

export const batchStatusQuery = defineQuery<BatchView>(STATUS_QUERY);
export const batchAbortUpdate = defineUpdate<MessageAnswer, [unknown]>('abort');
export const batchAbortSignal = defineSignal<[unknown]>('abort');

interface Batch {
  readonly table: BatchTable;
  readonly presenter: BatchPresenter;
  /** Cancelled by an abort: the children live in it. */
  readonly scope: CancellationScope;
}

export async function batch(input: BatchInput): Promise<BatchView> {
  const { tasks, concurrency } = checked(input);
  const { workflowId } = workflowInfo();
  const batchId = batchIdOf(workflowId);
  const planned = planTasks(batchId, tasks);
  const table = new BatchTable(batchId, workflowId, planned);
  const running: Batch = { table, presenter: new BatchPresenter(table), scope: new CancellationScope() };
  answerMessages(running);
  noteCancellation(running);
  running.presenter.show();
  const waiting = planned.map((task, index) => ({ task, index })).filter(({ task }) => task.sameAs === null);
  await running.scope.run(async () => {
    await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, () => workThrough(running, waiting)));
  });
  running.presenter.close();
  return table.view();
}

/** One of the lanes: takes the next task until there is none. */
async function workThrough({ table, presenter, scope }: Batch, waiting: { task: PlannedTask; index: number }[]): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { task, index } = next;
    if (scope.consideredCancelled) table.set(index, { state: 'not_started' });
    else await runTask(task, (fate) => table.set(index, fate));
    presenter.show();
  }
}

async function runTask({ runId, input }: PlannedTask, become: (fate: Parameters<BatchTable['set']>[1]) => void): Promise<void> {
  try {
    const child = await startChild(RUN_WORKFLOW, {
      workflowId: runId,
      taskQueue: TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: titleOf(input),
    });
    become({ state: 'running' });
    const { outcome, blockedReason, branch, error } = (await child.result()) as RunResult; // The workflow type `run` answers this.
    become({ state: 'ended', outcome, blockedReason, branch, error });
  } catch (err) {
    if (err instanceof WorkflowExecutionAlreadyStartedError) become({ state: 'skipped' });
    else if (err instanceof ChildWorkflowFailure && !isCancellation(err)) become({ state: 'refused', error: reasonOf(err) });
    else if (isCancellation(err)) become({ state: 'not_started' });
    else throw err;
  }
}

/** Native cancellation says nothing but that it came. */
function noteCancellation({ table, presenter, scope }: Batch): void {
  scope.cancelRequested.catch(() => {
    table.aborted = true;
    presenter.show();
  });
}

function answerMessages({ table, presenter, scope }: Batch): void {
  setHandler(batchStatusQuery, () => table.view());
  const abort = (message: RunMessage & { name: 'abort' }): MessageAnswer => {
    const changed = !scope.consideredCancelled;
    if (changed) {
      table.aborted = true;
      table.abortNote = abortNote(message);
      scope.cancel();
      presenter.show();
    }
    const sentence = changed ? 'running runs are being aborted; waiting ones never start' : 'the batch is being aborted already';
    return { message: sentence, status: table.status(false), changed };
  };
  setHandler(batchAbortUpdate, (argument) => abort(abortMessage(argument)), {
    validator: (argument) => void abortMessage(argument),
  });
  setHandler(batchAbortSignal, (argument) => {
    // A Signal handler that throws would fail the batch.
    const reading = readRunMessage('abort', argument);
    if (reading.kind === 'ok' && reading.message.name === 'abort') abort(reading.message);
    else log.warn('signal abort refused', { why: reading.kind === 'bad' ? reading.why : '' });
  });
}

/** Errors: MessageRefused. */
function abortMessage(argument: unknown): RunMessage & { name: 'abort' } {
  const reading = readRunMessage('abort', argument);
  if (reading.kind === 'ok' && reading.message.name === 'abort') return reading.message;
  throw ApplicationFailure.nonRetryable(reading.kind === 'bad' ? reading.why : 'it is not an abort', FAILURES.MessageRefused);
}

function abortNote({ by, reason }: RunMessage & { name: 'abort' }): string {
  return `aborted${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`;
}

/** The first line of a refusal says what; the rest is in the run's own history. */
function reasonOf(err: ChildWorkflowFailure): string {
  return (err.cause?.message ?? err.message).split('\n')[0] ?? '';
}

function checked(value: unknown): Extract<ReturnType<typeof checkBatchInput>, { kind: 'ok' }> {
  const check = checkBatchInput(value);
  if (check.kind === 'ok') return check;
  throw ApplicationFailure.nonRetryable(`${check.message}. Nothing was started.`, FAILURES.BadInput, check.field);
}
