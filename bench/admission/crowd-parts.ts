/**
 * Asks do not wait behind the agents of runs: every slot for turns holds an agent that lasts, and 20 tasks are handed in. The first agents of asks are held too until they are as many as there may
 * be, so that they are at work side by side; then all of them are let go.
 */
import { rmSync } from 'node:fs';
import { askTree } from '../../activities/ask/ask-tree.js';
import type { AskName } from '../../protocol/run/admission-policy.js';
import { idsOf } from '../../test/support/backlog-client.js';
import type { Place } from '../backlog/backlog-place.js';
import type { BenchHost } from '../bench-host.js';
import { mostAtOnce, type Span } from '../most-at-once.js';
import type { Few, Parts } from '../parts.js';
import { add, closedWell, type Measuring, measureBaselines, startRun, workOf } from '../plain-run.js';
import { until } from '../until.js';
import { asksIn, eventsOfItem, openAsked } from './asked-place.js';

/** Of a host whose person set nothing. */
const ASK_SLOTS = 4;
/** In the order in which they are scheduled. */
const ASKS_AT_ONCE: readonly AskName[] = ['classify', 'plan'];

export function crowdParts(few: Few): Parts {
  return { crowd: (measuring) => askBesideRuns(measuring, few(20, 4)) };
}

async function askBesideRuns(measuring: Measuring, count: number): Promise<void> {
  const { host, samples } = measuring;
  const place = await openAsked(host, 'crowd', 'admission: { order: [[classify, plan]] }\n');
  await measureBaselines(measuring);
  const runs = await fillSlots(host, samples['slots']?.[0] ?? 0);
  const { agent } = place.host;
  agent.watchClock(true);
  agent.hold();
  const ids = idsOf(await place.backlog.create(Array.from({ length: count }, (_, n) => `judge and plan ${n}`)));
  const atWork = () => [...agent.starts().values()].reduce((sum, starts) => sum + starts, 0);
  await until(`${ASK_SLOTS} asks are at work`, async () => atWork() >= ASK_SLOTS);
  rmSync(agent.holdPath);
  const areGated = async () => (await place.backlog.status()).counts.gated === count;
  await until('all wait for a person', areGated, count * 10_000);
  const times = (await Promise.all(ids.map((id) => timesOf(place, id)))).flat();
  if (times.length !== 2 * count) throw new Error(`${count} tasks were asked about ${times.length} times`);
  add(samples, 'asksAtOnce', mostAtOnce(times));
  add(samples, 'askStartMs', Math.max(...times.map(({ from, agentAt }) => agentAt - from)));
  const isHeld = runs.every(({ runId }) => agentsOf(host, runId) === 1);
  if (!isHeld) throw new Error('a slot for turns was free meanwhile');
  rmSync(host.agent.holdPath);
  for (const { handle } of runs) await closedWell(handle);
}

/** With an agent that lasts in each. */
async function fillSlots(host: BenchHost, slots: number) {
  host.agent.hold();
  const runIds = Array.from({ length: slots }, (_, n) => `bench-lasting-${n}`);
  const runs = await Promise.all(runIds.map(async (runId) => ({ runId, handle: await startRun(host, runId) })));
  await until('every slot is taken', async () => runIds.every((runId) => agentsOf(host, runId) === 1));
  return runs;
}

function agentsOf({ agent }: BenchHost, runId: string): number {
  return [...agent.starts().keys()].filter((start) => start.startsWith(`${runId} `)).length;
}

interface AskTime extends Span {
  /** When its agent was at work, by the agent's own clock. */
  readonly agentAt: number;
}

/** Of the asks of one task, each from its slot to its end. */
async function timesOf(place: Place, id: string): Promise<readonly AskTime[]> {
  const events = await eventsOfItem(place, id);
  return asksIn(events).map((asked, at) => {
    const ask = ASKS_AT_ONCE[at] ?? '';
    const agentAt = place.host.agent.startedAt(askTree(`${id}/asks/${ask}`), ask) ?? Number.NaN;
    return { ...workOf(events, asked), agentAt };
  });
}
