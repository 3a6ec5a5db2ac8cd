/**
 * `runMs`, `writeTurnMs`, `otherTurnMs`, `historyEvents`, `actions`: one plain run after another, each beside its own baselines, so that a
 * busy machine slows both. The time of an activity is from its schedule to the next one's: work, queue and workflow task together.
 */
import type { WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { RunInput, RunResult } from '../protocol/messages/messages.js';
import { RUN_WORKFLOW, TASK_QUEUE } from '../protocol/names.js';
import { ownMs, ownTimes, worktreeAdd } from './baselines.js';
import type { BenchHost } from './bench-host.js';
import type { EmptyActivities } from './empty/empty-worker.js';
import type { Samples } from './figures.js';
import type { Span } from './most-at-once.js';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Turns in the order of a plain run; the third writes. */
const WRITE_TURN = 2;
const WARM_RUNS = 2;

export interface Measuring {
  readonly host: BenchHost;
  readonly empty: EmptyActivities;
  readonly samples: Samples;
}

export async function measureBaselines({ host, empty, samples }: Measuring): Promise<void> {
  add(samples, 'worktreeAddMs', await worktreeAdd(host));
  add(samples, 'emptyActivityMs', await empty.measure());
}

export async function measurePlainRuns(measuring: Measuring, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    await measurePlainRun(measuring, `bench-plain-${n}`);
  }
}

export async function measurePlainRun(
  { host, samples }: Pick<Measuring, 'host' | 'samples'>,
  runId: string,
): Promise<void> {
  const began = performance.now();
  const handle = await startRun(host, runId);
  await closedWell(handle);
  const took = performance.now() - began;
  const own = await ownTimes(host, runId);
  add(samples, 'agentMs', own.agentMs);
  add(samples, 'commandMs', own.commandMs);
  add(samples, 'runMs', took - ownMs(own));
  const { events } = await handle.fetchHistory();
  addHistory(samples, events ?? [], own.agentMs);
}

/** `policy`: what this run has beyond the bench's config. */
export function startRun(
  { client, repository, hostId }: BenchHost,
  runId: string,
  policy: Readonly<Record<string, unknown>> = {},
): Promise<WorkflowHandle> {
  const input: RunInput = { task: `Bench: change one file (${runId})`, repo: repository, host: hostId, policy };
  return client.workflow.start(RUN_WORKFLOW, { workflowId: runId, taskQueue: TASK_QUEUE, args: [input] });
}

/** What a worker loads and compiles in its first runs is in no figure. `name` begins their ids. */
export async function warmUp(host: BenchHost, name: string): Promise<void> {
  for (let n = 0; n < WARM_RUNS; n += 1) await closedWell(await startRun(host, `${name}-${n}`));
}

/** Errors: any outcome but merge_ready, for a broken run is no measurement. */
export async function closedWell(handle: WorkflowHandle): Promise<void> {
  const { outcome, blockedReason, error } = (await handle.result()) as RunResult;
  if (outcome !== 'merge_ready')
    throw new Error(`${handle.workflowId} ended ${outcome} (${blockedReason ?? ''} ${error ?? ''})`);
}

/** Errors: a plain Error for what is no number: no figure would come of it, and nothing would be red. */
export function add(samples: Samples, name: string, value: number): void {
  if (!Number.isFinite(value)) throw new Error(`${name} was not measured: ${value}`);
  const list = samples[name] ?? [];
  list.push(value);
  samples[name] = list;
}

function addHistory(samples: Samples, events: readonly HistoryEvent[], agentMs: number): void {
  let turns = 0;
  for (const { name, ms } of activityTimes(events)) {
    if (name === 'runTurn') {
      add(samples, turns === WRITE_TURN ? 'writeTurnMs' : 'otherTurnMs', ms - agentMs);
      turns += 1;
    } else add(samples, `${name}Ms`, ms);
  }
  add(samples, 'historyEvents', events.length);
  add(samples, 'actions', actionsIn(events));
}

/** Each activity from its schedule to the next one's, the last one to the end. */
export function activityTimes(
  events: readonly HistoryEvent[],
): readonly { readonly name: string; readonly ms: number }[] {
  const scheduled = activitiesOf(events);
  const ends = [...scheduled.slice(1), events.at(-1)];
  return scheduled.map((event, index) => {
    const { activityType } = event.activityTaskScheduledEventAttributes ?? {};
    return { name: activityType?.name ?? 'unknown', ms: timeOf(ends[index]) - timeOf(event) };
  });
}

/** The moments at which activities were scheduled. */
export function activitiesOf(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  return events.filter((event) => event.activityTaskScheduledEventAttributes != null);
}

/** When the workflow task was done that heard the end of an activity; NaN before. Unit: as of `exactTimeOf`. */
export function heardAt(events: readonly HistoryEvent[], scheduled: HistoryEvent | undefined): number {
  const heard = events.findIndex((event) => isOf(scheduled, event.activityTaskCompletedEventAttributes));
  if (heard < 0) return Number.NaN;
  return exactTimeOf(events.slice(heard).find((event) => event.workflowTaskCompletedEventAttributes != null));
}

/** From the slot of an activity to its answer, without what the server takes before and after it. Unit: as of `exactTimeOf`. */
export function workOf(events: readonly HistoryEvent[], scheduled: HistoryEvent | undefined): Span {
  return {
    from: exactTimeOf(events.find((event) => isOf(scheduled, event.activityTaskStartedEventAttributes))),
    to: exactTimeOf(events.find((event) => isOf(scheduled, event.activityTaskCompletedEventAttributes))),
  };
}

/** Numbers of events are Longs, which are equal by what they say. */
function isOf(
  scheduled: HistoryEvent | undefined,
  told: { readonly scheduledEventId?: HistoryEvent['eventId'] } | null | undefined,
): boolean {
  const id = told?.scheduledEventId;
  return id != null && String(id) === String(scheduled?.eventId);
}

/** What Temporal Cloud bills, heartbeats left out: the start, every activity, every upsert, timer and signal. */
function actionsIn(events: readonly HistoryEvent[]): number {
  return events.filter(
    (event) =>
      event.workflowExecutionStartedEventAttributes ??
      event.activityTaskScheduledEventAttributes ??
      event.upsertWorkflowSearchAttributesEventAttributes ??
      event.workflowPropertiesModifiedEventAttributes ??
      event.timerStartedEventAttributes ??
      event.workflowExecutionSignaledEventAttributes,
  ).length;
}

/** With the fractions of a millisecond that the server noted. */
export function exactTimeOf(event: HistoryEvent | undefined): number {
  const time = event?.eventTime;
  return time == null ? Number.NaN : Number(time.seconds ?? 0) * 1_000 + (time.nanos ?? 0) / 1e6;
}

function timeOf(event: HistoryEvent | undefined): number {
  return event?.eventTime == null ? Number.NaN : tsToMs(event.eventTime);
}
