/**
 * Takes the head of one closed run to its base, `landing:<runId>`: it reads what landed from the run's own answer, sends it to the merge queue of the base, and says what became of it.
 * Waits for: the queue's Signal `entryChanged`; `runChanged` of a run that repairs it; `land`, `abort`, `pause`, `resume`, `look`, `approve` and `answer` of people, which are Updates too; its own timer, which sends the entry again and rings at a gate.
 * Survives: the loss of worker, server, host and queue. Ends: merged, or given up.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ActivityFailure, continueAsNew, ParentClosePolicy, workflowInfo } from '@temporalio/workflow';
import type { LeaveQueueResult } from '../../protocol/actors/forge.js';
import { LANDING_CHANGED_SIGNAL } from '../../protocol/actors/item.js';
import {
  LANDING_SIGNALS,
  LANDING_UPDATES,
  type LandingGate,
  type LandingInput,
  type LandingView,
  readLandingInput,
  readLandingMessage,
} from '../../protocol/actors/landing.js';
import { isForgeQueue } from '../../protocol/actors/merge-queue.js';
import { runIdOfLanding } from '../../protocol/names.js';
import { anyHost, askedHost, controlHost, forgeBaseHost, forgeHost } from '../activity-options.js';
import { isHostAway, readAbsence } from '../actor/away-host.js';
import type { Carried } from '../actor/core.js';
import { LiveActor } from '../actor/live.js';
import { sendSignal } from '../actor/send-signal.js';
import { startRun } from '../actor/start-run.js';
import { startNotification } from '../journal/notify.js';
import { missAnswer } from './landing-away.js';
import type { LandingErrand } from './landing-errand.js';
import { type LandingEvent, type LandingState, notAsked } from './landing-state.js';
import { LANDING_RULES } from './landing-table.js';
import { showLanding, viewOf } from './landing-view.js';

/** `carried` null: there was no execution before. */
export async function landing(given: LandingInput, carried: Carried<LandingState> | null = null): Promise<LandingView> {
  const input = readLandingInput(given);
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const self = `${workflowId}/${firstExecutionRunId}`;
  const one = new LiveActor(
    {
      rules: LANDING_RULES,
      first: notAsked(runIdOfLanding(workflowId), { ...input, self }),
      signals: LANDING_SIGNALS,
      updates: LANDING_UPDATES,
      read: readLandingMessage,
      perform,
      show: showLanding,
      view: viewOf,
    },
    carried,
  );
  if (!one.isHandedOver) one.tell({ kind: 'begin' });
  return one.live((next) => continueAsNew<typeof landing>(input, next));
}

async function perform(errand: LandingErrand, tell: (event: LandingEvent) => void): Promise<void> {
  const { workflowId } = errand;
  switch (errand.kind) {
    case 'open':
      return tell(await openRun(workflowId));
    case 'findKept':
      return tell(await findKept(errand));
    case 'findBase':
    case 'plan':
    case 'examine':
    case 'ensurePull':
    case 'lookAtPull':
    case 'readRemarks':
      return tell(await askHost(errand));
    case 'park':
      // Its own timer bounds the wait.
      return ignoreFailure(controlHost().parkAtQuotaGate(errand.input));
    case 'startRun':
      return tell({ kind: 'begun', fate: await startChild(errand) });
    case 'abortRun':
      await sendSignal({ workflowId, executionRunId: null, name: 'abort', argument: { reason: errand.reason } });
      return;
    case 'leaveQueue':
      return tell({ kind: 'left', result: await leaveQueue(errand) });
    case 'enqueue':
      // A queue that does not hear it is sent it again in time.
      return ignoreFailure(controlHost().enqueue({ queue: errand.queue, entry: errand.entry }));
    case 'withdraw':
      await sendSignal({ workflowId, executionRunId: null, name: 'withdraw', argument: { id: errand.id } });
      return;
    case 'look':
      await sendSignal({ workflowId, executionRunId: null, name: 'look', argument: {} });
      return;
    case 'write':
      return tell({ kind: 'written', seq: await write(errand) });
    case 'tellItem': {
      const { runId, state } = errand;
      // One that is closed needs it no more.
      await sendSignal({ workflowId, executionRunId: null, name: LANDING_CHANGED_SIGNAL, argument: { runId, state } });
      return;
    }
    case 'tell':
      // A child that cannot start is no reason to hold a landing.
      await startNotification(errand.input).catch(() => undefined);
  }
}

async function openRun(runId: string): Promise<LandingEvent> {
  try {
    return { kind: 'opened', run: await controlHost().readRunToLand(runId) };
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    return missAnswer(runId, error);
  }
}

async function findKept({ runId, host }: Extract<LandingErrand, { kind: 'findKept' }>): Promise<LandingEvent> {
  try {
    const kept = await (host === null ? anyHost() : askedHost(host)).findKept(runId);
    return { kind: 'kept', kept };
  } catch (error) {
    return { kind: 'kept', kept: { kind: 'none', why: `nothing is known of what is kept of it: ${whyOf(error)}` } };
  }
}

type Asked = Extract<
  LandingErrand,
  { readonly kind: 'findBase' | 'plan' | 'examine' | 'ensurePull' | 'lookAtPull' | 'readRemarks' }
>;

const REFUSALS = {
  findBase: 'refused',
  plan: 'repair_failed',
  examine: 'unresolved',
  ensurePull: 'forge',
  lookAtPull: 'forge',
  readRemarks: 'forge',
} as const satisfies Readonly<Record<Asked['kind'], LandingGate>>;

async function askHost(errand: Asked): Promise<LandingEvent> {
  const { host, kind } = errand;
  try {
    return await answerOf(errand);
  } catch (error) {
    return isHostAway(error)
      ? { kind: 'failed', reason: 'host_away', why: `its host ${host} is away; nobody took the work in time` }
      : { kind: 'failed', reason: REFUSALS[kind], why: whyOf(error) };
  }
}

async function answerOf(errand: Asked): Promise<LandingEvent> {
  const { host } = errand;
  switch (errand.kind) {
    case 'findBase':
      return { kind: 'based', base: await askedHost(host).findBase(errand.input) };
    case 'plan': {
      const asked = isForgeQueue(errand.input.queue) ? forgeHost(host) : askedHost(host);
      return { kind: 'planned', plan: await asked.planRepair(errand.input) };
    }
    case 'examine':
      return { kind: 'examined', found: await askedHost(host).examineRepair(errand.input) };
    case 'ensurePull':
      return { kind: 'ensured', result: await forgeHost(host).ensurePull(errand.input) };
    case 'lookAtPull':
      return { kind: 'pulled', result: await forgeHost(host).lookAtPull(errand.input) };
    case 'readRemarks':
      return { kind: 'remarked', result: await forgeHost(host).readRemarks(errand.input) };
  }
}

async function leaveQueue({ host, input }: Extract<LandingErrand, { kind: 'leaveQueue' }>): Promise<LeaveQueueResult> {
  try {
    return await forgeBaseHost(host).leaveQueue(input);
  } catch (error) {
    return { kind: readAbsence(error) === null ? 'refused' : 'unreachable', why: whyOf(error) };
  }
}

/** It lives on without its landing, which may continue as new. */
async function startChild({
  workflowId,
  input,
}: Extract<LandingErrand, { kind: 'startRun' }>): Promise<'started' | 'taken'> {
  try {
    await startRun(workflowId, input, ParentClosePolicy.ABANDON);
    return 'started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'taken';
    throw error;
  }
}

/** What it wrote is for people: nothing waits for it longer. */
const WRITE_MS = 60_000;

/** Null: its host did not take it. */
async function write({ host, input }: Extract<LandingErrand, { kind: 'write' }>): Promise<number | null> {
  try {
    const written = await askedHost(host).writeLanding.executeWithOptions({ scheduleToCloseTimeout: WRITE_MS }, [
      input,
    ]);
    return written.journalSeq;
  } catch (error) {
    whyOf(error);
    return null;
  }
}

/** Errors: what is no failure of an activity. */
function whyOf(error: unknown): string {
  if (!(error instanceof ActivityFailure)) throw error;
  return error.cause?.message ?? error.message;
}

async function ignoreFailure(work: Promise<void>): Promise<void> {
  await work.catch(whyOf);
}
