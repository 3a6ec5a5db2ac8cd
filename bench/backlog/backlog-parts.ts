/**
 * The parts of the bench `backlog`: tasks of one stage, handed in by Temporal's own client. What the engine adds to their runs is read in the histories, so that no agent and no git counts.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { BACKLOG_WORKFLOW, backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import { HAND_OVER_SIGNAL } from '../../protocol/names.js';
import { idsOf } from '../../test/support/backlog-client.js';
import type { Few, Parts } from '../parts.js';
import { add, exactTimeOf, type HistoryEvent, type Measuring, measureBaselines } from '../plain-run.js';
import { until } from '../until.js';
import { openMany, openPlace, type Place } from './backlog-place.js';
import { scheduleParts } from './schedule-parts.js';

const ONE_AT_ONCE = 'backlog: { maxConcurrent: 1 }\n';
const FIRST_OF_MANY = 1_000;
const SERVER_WAITS_MS = 1_500;

export function backlogParts(few: Few): Parts {
  return {
    admit: (measuring) => admitAmongMany(measuring, { open: few(9_900, 10), count: few(25, 2) }),
    turns: (measuring) => takeTurns(measuring, few(25, 3)),
    ...scheduleParts(few),
  };
}

/** One task more, while many are open and nothing starts. */
async function admitAmongMany(
  measuring: Measuring,
  { open, count }: { readonly open: number; readonly count: number },
): Promise<void> {
  const { samples } = measuring;
  const { host, backlog } = await openPlace(measuring, 'backlog-admit', ONE_AT_ONCE);
  // Their numbers are above those that are given here.
  const numbers = Array.from({ length: open }, (_, n) => FIRST_OF_MANY + n);
  await openMany({ host, backlog }, numbers);
  await handOver(measuring, { host, backlog });
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    const began = performance.now();
    const ids = idsOf(await backlog.create([`one more ${n}`]));
    add(samples, 'admitMs', performance.now() - began);
    if (ids.length !== 1) throw new Error(`of one task ${ids.length} were taken in`);
    const asked = performance.now();
    const { counts } = await backlog.status();
    add(samples, 'backlogQueryMs', performance.now() - asked);
    if (counts.queued !== n + 1) throw new Error(`${counts.queued} tasks are queued, not ${n + 1}`);
  }
}

/** From the word until the next execution answers a Query; and what the one before left to it. */
async function handOver({ samples }: Measuring, { host, backlog }: Place): Promise<void> {
  const handle = host.client.workflow.getHandle(backlogId(backlog.project));
  const { runId: before } = await handle.describe();
  // The server keeps an execution that follows one of less than a second waiting.
  await delay(SERVER_WAITS_MS);
  const began = performance.now();
  await handle.signal(HAND_OVER_SIGNAL);
  await until('another execution', async () => (await handle.describe()).runId !== before, 60_000);
  await backlog.status();
  add(samples, 'handOverMs', performance.now() - began);
  const { events } = await host.client.workflow.getHandle(backlogId(backlog.project), before).fetchHistory();
  const left = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.input?.payloads ?? [];
  const bytes = left.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
  add(samples, 'carriedKiB', bytes / 1_024);
}

/** All at once, one slot: each starts when the one before it has ended. */
async function takeTurns(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const { host, backlog } = await openPlace(measuring, 'backlog-turns', ONE_AT_ONCE);
  const { client } = host;
  const { project } = backlog;
  await measureBaselines(measuring);
  const ids = idsOf(await backlog.create(Array.from({ length: count }, (_, n) => `change ${n}`)));
  await until('all are parked', async () => (await backlog.status()).counts.parked === count, count * 10_000);
  const eventsOf = async (workflowId: string) =>
    (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const runs = await Promise.all(ids.map((id) => eventsOf(runIdOfItem({ project, id }, 1))));
  const items = await Promise.all(ids.map((id) => eventsOf(itemWorkflowId({ project, id }))));
  for (const [n, run] of runs.entries()) {
    const [item, before] = [items[n] ?? [], runs[n - 1]];
    if (before !== undefined) add(samples, 'dispatchMs', exactTimeOf(run[0]) - exactTimeOf(before.at(-1)));
    const worked = exactTimeOf(run.at(-1)) - exactTimeOf(run[0]);
    const granted = item.find(isGrant);
    add(samples, 'itemMs', exactTimeOf(item.at(-1)) - exactTimeOf(granted) - worked);
  }
  const ofBacklog = (await eventsOf(`${BACKLOG_WORKFLOW}:${project}`)).length;
  const all = [...runs, ...items].reduce((sum, events) => sum + events.length, ofBacklog);
  add(samples, 'eventsPerTask', all / count);
  for (const id of ids) await backlog.tell(id, 'done');
}

function isGrant({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent): boolean {
  return signal?.signalName === 'slotGranted';
}
