/**
 * The parts of the bench `backlog`: tasks of one stage, handed in by Temporal's own client. What the engine adds to their runs is read in the histories, so that no agent and no git counts.
 */

import { readOrMakeHostId } from '../../config/home/host-id.js';
import { BACKLOG_WORKFLOW } from '../../protocol/actors/backlog.js';
import { itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import { type BacklogOf, idsOf, openBacklog } from '../../test/support/backlog-client.js';
import type { BenchHost } from '../bench-host.js';
import { placeOf } from '../landing/landed-runs.js';
import type { Few, Parts } from '../parts.js';
import { add, exactTimeOf, type HistoryEvent, type Measuring, measureBaselines } from '../plain-run.js';
import { makeSmallRepository } from '../repositories.js';
import { until } from '../until.js';

/** Of one create. */
const HANDED_IN = 100;

export function backlogParts(few: Few): Parts {
  return {
    admit: (measuring) => admitAmongMany(measuring, { open: few(2_000, 10), count: few(25, 2) }),
    turns: (measuring) => takeTurns(measuring, few(25, 3)),
  };
}

interface Place {
  readonly host: BenchHost;
  readonly backlog: BacklogOf;
}

async function openPlace({ host }: Measuring, name: string): Promise<Place> {
  const project = `bench-${name}`;
  const config = `project: { name: ${project} }\nbacklog: { maxConcurrent: 1 }\n`;
  const place = await placeOf(host, { name: `backlog-${name}`, make: makeSmallRepository, config });
  const at = { project, repo: place.repository, host: readOrMakeHostId(host.home) };
  return { host: place, backlog: await openBacklog(host.client, at) };
}

/** One task more, while many are open and nothing starts. */
async function admitAmongMany(
  measuring: Measuring,
  { open, count }: { readonly open: number; readonly count: number },
) {
  const { samples } = measuring;
  const { backlog } = await openPlace(measuring, 'admit');
  await backlog.say('pause');
  for (let left = open; left > 0; left -= HANDED_IN)
    await backlog.create(Array.from({ length: Math.min(left, HANDED_IN) }, (_, n) => `task ${left} ${n}`));
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    const began = performance.now();
    const ids = idsOf(await backlog.create([`one more ${n}`]));
    add(samples, 'admitMs', performance.now() - began);
    if (ids.length !== 1) throw new Error(`of one task ${ids.length} were taken in`);
    const asked = performance.now();
    const { counts } = await backlog.status();
    add(samples, 'backlogQueryMs', performance.now() - asked);
    if (counts.queued !== open + n + 1) throw new Error(`${counts.queued} tasks are queued, not ${open + n + 1}`);
  }
}

/** All at once, one slot: each starts when the one before it has ended. */
async function takeTurns(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const { host, backlog } = await openPlace(measuring, 'turns');
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
