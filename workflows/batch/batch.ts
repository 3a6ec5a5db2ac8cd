/**
 * A list of tasks as child runs, a few at once, or handed in to the backlogs of their repositories, and one result table. A run that fails or is refused stops no other.
 * Waits for: its child runs; Update and Signal `abort`; native cancellation means abort. It polls nothing.
 * Survives: the loss of worker and server. A repeat under the same id starts only what was never started.
 * Ends: always completed, with the table; only a start input that cannot be read fails it. It continues as new where it hands in, and else to none, since its children are its own.
 */

import { ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowFailure,
  continueAsNew,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { BatchInput, BatchView } from '../../protocol/actors/batch.js';
import { badInputFailure, readRefusal } from '../../protocol/text/refusal.js';
import type { Carried } from '../actor/core.js';
import { LiveActor, trusted } from '../actor/live.js';
import { startRun } from '../actor/start-run.js';
import {
  BATCH_RULES,
  type BatchErrand,
  type BatchEvent,
  type BatchTable,
  readBatchMessage,
  show,
  tableOf,
  viewOf,
} from './batch-table.js';
import { batchIdOf, checkBatchInput, planTasks } from './batch-tasks.js';
import type { Fate } from './fates.js';
import { HandIns } from './hand-in.js';

/** `carried`: of an execution before, without the tasks, which are in its input. */
export async function batch(input: BatchInput, carried: Carried<BatchTable> | null = null): Promise<BatchView> {
  const { tasks, concurrency, to } = checked(input);
  const { workflowId } = workflowInfo();
  const batchId = batchIdOf(workflowId);
  const planned = planTasks(batchId, tasks);
  const before = trusted(carried);
  const tell: Tell = (event) => actor.tell(event);
  const handIns = new HandIns(before?.state.hosts ?? {}, (repo, host) => tell({ kind: 'found', repo, host }));
  const work = (errand: StartErrand) => (to === 'backlog' ? handTask(handIns, errand, tell) : runTask(errand, tell));
  // The children live in it.
  const scope = new CancellationScope();
  const actor = new LiveActor(
    {
      rules: BATCH_RULES,
      first: tableOf({ batchId, workflowId, tasks: planned, concurrency }),
      signals: ['abort'],
      updates: ['abort'],
      read: readBatchMessage,
      async perform(errand: BatchErrand) {
        if (errand.kind === 'cancel') scope.cancel();
        else await scope.run(() => work(errand));
      },
      show,
      view: viewOf,
    },
    before === null ? null : { ...before, state: { ...before.state, tasks: planned } },
  );
  scope.cancelRequested.catch(() => actor.tell({ kind: 'abort', note: null }));
  if (!actor.isHandedOver) actor.tell({ kind: 'begin' });
  const mayGoOn = to === 'backlog' && JSON.stringify(input).length < MAX_INPUT_CHARS;
  const goOn = (next: Carried<BatchTable>) =>
    continueAsNew<typeof batch>(input, { ...next, state: { ...next.state, tasks: [] } });
  return CancellationScope.nonCancellable(() => actor.live(mayGoOn ? goOn : null));
}

/** Beside what became of its tasks: a larger one stays in its history. The server takes 2 MB. */
const MAX_INPUT_CHARS = 400_000;

type StartErrand = Extract<BatchErrand, { kind: 'start' }>;

async function handTask(handIns: HandIns, { task, place, sent }: StartErrand, tell: Tell): Promise<void> {
  const fate = await handIns.take(task, sent);
  tell(fate.state === 'away' ? { kind: 'away', place, sent: fate.sent } : { kind: 'became', place, fate });
}

type Tell = (event: BatchEvent) => void;

async function runTask({ task: { runId, input }, place }: StartErrand, tell: Tell): Promise<void> {
  const become = (fate: Fate) => tell({ kind: 'became', place, fate });
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
