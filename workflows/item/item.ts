/**
 * The life of one task around its runs, `item:<project>/<id>`: it waits for a slot, has its run made, and says what became of it.
 * Waits for: its backlog's Signals `slotGranted` and `report`; `runChanged` of its run, and its answer; `approve`, `reject`, `stop`, `done`, `remove` of people, which are Updates too;
 * its own timer, by which it looks for itself.
 * Survives: the loss of worker, server and host; a lost backlog is started anew by its report. Ends: closed.
 */
import { ActivityFailure, ApplicationFailure, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowFailure,
  continueAsNew,
  defineSignal,
  isCancellation,
  ParentClosePolicy,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { ITEM_CHANGED_SIGNAL } from '../../protocol/actors/backlog.js';
import { ITEM_SIGNALS, ITEM_UPDATES, type ItemInput, type ItemView, itemResultOf } from '../../protocol/actors/item.js';
import { readItemInput } from '../../protocol/actors/item-input.js';
import { readItemMessage } from '../../protocol/actors/item-message.js';
import { QUOTA_SIGNAL } from '../../protocol/actors/quota.js';
import { ONE_STEP } from '../../protocol/admission/plan-steps.js';
import { FAILURES } from '../../protocol/failures.js';
import type { RunInput, RunItem } from '../../protocol/messages/messages.js';
import { landingId } from '../../protocol/names.js';
import { badInputFailure, readRefusal } from '../../protocol/text/refusal.js';
import { askedHost, controlHost } from '../activity-options.js';
import type { Carried } from '../actor/core.js';
import { LiveActor } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { startRun } from '../actor/start-run.js';
import { findStanding } from './find-standing.js';
import { ItemAsks } from './item-asks.js';
import type { ItemErrand, ItemEvent, ItemState, RunFate } from './item-state.js';
import { ITEM_RULES, newItem } from './item-table.js';
import { showItem, viewOf } from './item-view.js';

/** `carried` null: there was no execution before. Errors: BadInput for what no backlog started. */
const quotaSignal = defineSignal<[unknown]>(QUOTA_SIGNAL);

export async function item(given: ItemInput, carried: Carried<ItemState> | null = null): Promise<ItemView> {
  const input = readItemInput(given, workflowInfo().workflowId);
  if (input === null) throw ApplicationFailure.create(badInputFailure('input', NO_ITEM));
  const asks = new ItemAsks(input);
  const one = new LiveActor(
    {
      rules: ITEM_RULES,
      first: newItem(input),
      signals: ITEM_SIGNALS,
      updates: ITEM_UPDATES,
      read: readItemMessage,
      perform: (errand, tell) => perform({ input, asks }, errand, tell),
      show: showItem,
      view: viewOf,
    },
    carried,
  );
  setHandler(quotaSignal, (argument) => asks.hearQuota(argument));
  if (!one.isHandedOver) one.tell({ kind: 'begin' });
  return one.live((next) => continueAsNew<typeof item>(input, next));
}

interface Performer {
  readonly input: ItemInput;
  readonly asks: ItemAsks;
}

const NO_ITEM = 'an item is started by its backlog, of a task that is handed in: sluice task create "<task>"';

async function perform(
  { input, asks }: Performer,
  errand: ItemErrand,
  tell: (event: ItemEvent) => void,
): Promise<void> {
  switch (errand.kind) {
    case 'ask':
      return asks.take(errand, tell);
    case 'writeQuestions':
      return writeQuestions(input, errand, tell);
    case 'compareAgain':
      return compareAgain(input, errand, tell);
    case 'callOff':
      return asks.callOff(errand.asks);
    case 'startRun':
      return makeRun(errand, tell);
    case 'tellRun': {
      const { workflowId, name, argument } = errand;
      await sendSignal({ workflowId, executionRunId: null, name, argument });
      return;
    }
    case 'lookAtRun': {
      const run = await controlHost().readRunToLand(errand.runId).catch(ignored);
      if (run !== null) tell({ kind: 'looked', runId: errand.runId, word: errand.word, run });
      return;
    }
    case 'lookAtLanding': {
      const { runId } = errand;
      const found = await controlHost().findItem(landingId(runId)).catch(ignored);
      if (found !== null && found.kind !== 'open') tell({ kind: 'landingGone', runId });
      return;
    }
    case 'report': {
      const { workflowId, row, project } = errand;
      const isThere = await sendSignal({ workflowId, executionRunId: null, name: ITEM_CHANGED_SIGNAL, argument: row });
      // Who does not hear it now hears it at the next look.
      if (!isThere) await controlHost().tellBacklog({ project, row }).catch(ignored);
    }
  }
}

/** Where it cannot be written, people are told, and answer otherwise. */
async function writeQuestions(
  { id, hash, repo, repoKey, host }: ItemInput,
  { round, questions, state, answers }: Extract<ItemErrand, { kind: 'writeQuestions' }>,
  tell: (event: ItemEvent) => void,
): Promise<void> {
  try {
    await askedHost(host).writeQuestions({ item: { id, hash, repo, repoKey }, round, questions, state, answers });
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    tell({ kind: 'unwritten', why: error.cause?.message ?? error.message });
  }
}

async function compareAgain(
  { id, hash, repo, repoKey, host, project }: ItemInput,
  { pass, rounds }: Extract<ItemErrand, { kind: 'compareAgain' }>,
  tell: (event: ItemEvent) => void,
): Promise<void> {
  try {
    const found = await askedHost(host).compareAgain({ item: { id, hash, repo, repoKey }, project, rounds });
    const standings = await Promise.all(found.possible.map((one) => findStanding({ project, id: one.id })));
    // Its host hears of what closes by the next task that is handed in.
    const possible = found.possible.filter((_, at) => standings[at] !== 'closed');
    tell({ kind: 'comparedAgain', pass, found: { ...found, possible } });
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    tell({ kind: 'comparedAgain', pass, found: { why: error.cause?.message ?? error.message } });
  }
}

/** Its run, from its start to its answer. */
async function makeRun(
  errand: Extract<ItemErrand, { kind: 'startRun' }>,
  tell: (event: ItemEvent) => void,
): Promise<void> {
  const { runId } = errand;
  try {
    const child = await startRun(runId, runInputOf(errand), ParentClosePolicy.REQUEST_CANCEL);
    tell({ kind: 'fate', runId, fate: { kind: 'ended', result: itemResultOf(await child.result()) } });
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) tell({ kind: 'taken', runId });
    else tell({ kind: 'fate', runId, fate: goneBy(error) });
  }
}

function runInputOf({ input, behind, admission }: Extract<ItemErrand, { kind: 'startRun' }>): RunInput {
  const { id, title, hash, repo, host, attended, slotUntil } = input;
  const item = {
    id,
    hash,
    ...(behind.length === 0 ? {} : { behind }),
    ...(slotUntil === 'reviewing' ? { tellsReview: true as const } : {}),
    ...planIn(admission),
    ...(admission === null || admission.rounds.length === 0 ? {} : { rounds: admission.rounds }),
  };
  return { task: title, title, repo, host, attended, owner: workflowInfo().workflowId, item };
}

function planIn(admission: Extract<ItemErrand, { kind: 'startRun' }>['admission']): Pick<RunItem, 'plan'> {
  const plan = admission?.plan ?? null;
  if (plan?.kind === 'one_step') return { plan: ONE_STEP };
  return plan?.kind === 'ok' ? { plan: plan.plan.hash } : {};
}

/** Errors: what is no end of a run. */
function goneBy(error: unknown): RunFate {
  if (!(error instanceof ChildWorkflowFailure) || isCancellation(error)) throw error;
  const { cause, message } = error;
  const isChanged = cause instanceof ApplicationFailure && cause.type === FAILURES.RepositoryChanged;
  const refusal = readRefusal(cause);
  const why = refusal === null ? (cause?.message ?? message) : `${refusal.what} ${refusal.mend}`.trim();
  return { kind: 'gone', why, reason: isChanged ? 'repository_changed' : 'run_gone' };
}

/** Errors: what is no failure of an activity. */
function ignored(error: unknown): null {
  if (!(error instanceof ActivityFailure)) throw error;
  return null;
}
