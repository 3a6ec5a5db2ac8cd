/**
 * What is asked about a task before it may start, and its way from a person's word to its base: classified, planned, approved, run in three steps, landed. One task at a time. Of an ask and of a step
 * what the agent takes by hand is taken off.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backlogId } from '../../protocol/actors/backlog.js';
import { type ItemView, itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import { landingId } from '../../protocol/names.js';
import { idsOf } from '../../test/support/backlog-client.js';
import type { Place } from '../backlog/backlog-place.js';
import { addBare, ownTimes, removeBare } from '../baselines.js';
import type { BenchHost } from '../bench-host.js';
import type { Samples } from '../figures.js';
import type { Few, Parts } from '../parts.js';
import {
  activityTimes,
  add,
  exactTimeOf,
  heardAt,
  type Measuring,
  measureBaselines,
  measurePlainRun,
} from '../plain-run.js';
import { isQuiet } from '../quiet-run.js';
import { timedProcess } from '../timed-process.js';
import { until } from '../until.js';
import { askByHand, asksIn, BASE, eventsOfItem, isAsk, itemOf, openAsked } from './asked-place.js';

const stepwise = (order: string) => `backlog: { maxConcurrent: 1 }
admission: { order: ${order} }
execute: { until: steps, stepCheck: none }
stageList: [planning, executing, validating]
landing: { mode: auto, needs: checked }
`;

const ASKED = { classify: 'classifyMs', plan: 'planMs' } as const;

export function askParts(few: Few): Parts {
  return {
    tasks: (measuring) => takeTasks(measuring, { count: few(15, 2), retries: few(7, 1) }),
    events: (measuring) => countEvents(measuring, few(25, 3)),
  };
}

async function takeTasks(
  measuring: Measuring,
  { count, retries }: { readonly count: number; readonly retries: number },
): Promise<void> {
  const { host, samples } = measuring;
  const place = await openAsked(host, 'tasks', stepwise('[classify, plan]'));
  for (let n = 0; n < count + retries; n += 1) {
    await measureBaselines(measuring);
    const plain: Samples = {};
    await measurePlainRun({ host, samples: plain }, `bench-beside-task-${n}`);
    for (const ms of plain['writeTurnMs'] ?? []) add(samples, 'turnMs', ms);
    // No figure: what a turn takes that looks and writes nothing, as an ask does.
    for (const ms of plain['otherTurnMs'] ?? []) add(samples, 'readTurnMs', ms);
    const id = await gatedTask(place, `change changed.txt ${n}`);
    await addAsks(samples, place, id);
    if (n >= count) {
      place.host.agent.fail(runIdOfItem({ project: place.backlog.project, id }, 1));
      await approveTask(place, id);
      add(samples, 'bareResetMs', await bareReset(host));
      await addSteps(samples, place, { id, turns: ['stepFailedMs', 'stepRetryMs', 'stepMs', 'stepMs'] });
    } else {
      add(samples, 'approveToRunMs', await approveTask(place, id));
      await addSteps(samples, place, { id, turns: ['stepMs', 'stepMs', 'stepMs'] });
    }
  }
}

/** Classified and planned, it waits for a person. Meanwhile the server alone is asked about it: the worker has nothing to do but what is measured. */
async function gatedTask(place: Place, task: string): Promise<string> {
  const { backlog } = place;
  const [id = ''] = idsOf(await backlog.create([{ task, base: BASE }]));
  const item = itemOf(place, id);
  await until(`task ${id} is asked about`, async () => (await item.fetchHistory()).events?.some(isAsk) === true);
  await until(`task ${id} rests`, () => isQuiet(item, 0));
  const { state } = await backlog.item(id);
  if (state !== 'gated') throw new Error(`task ${id} is ${state}`);
  return id;
}

/** From its schedule until the item has heard its answer. */
async function addAsks(samples: Samples, place: Place, id: string): Promise<void> {
  const events = await eventsOfItem(place, id);
  const [classify, plan, ...more] = asksIn(events);
  if (more.length > 0) throw new Error(`task ${id} was asked about ${2 + more.length} times`);
  for (const [ask, event] of [['classify', classify] as const, ['plan', plan] as const]) {
    const byHandMs = await askByHand(place, id, ask);
    add(samples, 'askedAgentMs', byHandMs);
    add(samples, ASKED[ask], heardAt(events, event) - exactTimeOf(event) - byHandMs);
  }
}

/** Until it has landed. Answers how long it took from the word to the first event of its run. Unit: ms; both by the clock of this machine. */
async function approveTask(place: Place, id: string): Promise<number> {
  const { host, backlog } = place;
  const sentAt = Date.now();
  await backlog.tell(id, 'approve');
  const { state, reason, result } = (await itemOf(place, id).result()) as ItemView; // Items answer this.
  if (reason !== 'merged') throw new Error(`task ${id} is ${state} (${reason}): ${result?.error}`);
  const run = host.client.workflow.getHandle(runIdOfItem({ project: backlog.project, id }, 1));
  const { events } = await run.fetchHistory();
  return exactTimeOf(events?.[0]) - sentAt;
}

/** `turns`: what each turn of its run is a sample of. */
async function addSteps(
  samples: Samples,
  { host, backlog }: Place,
  { id, turns }: { readonly id: string; readonly turns: readonly string[] },
): Promise<void> {
  const runId = runIdOfItem({ project: backlog.project, id }, 1);
  const { events } = await host.client.workflow.getHandle(runId).fetchHistory();
  const taken = activityTimes(events ?? []).filter(({ name }) => name === 'runTurn');
  if (taken.length !== turns.length) throw new Error(`${runId} had ${taken.length} turns, not ${turns.length}`);
  const { agentMs } = await ownTimes(host, runId);
  for (const [at, { ms }] of taken.entries()) add(samples, turns[at] ?? '', ms - agentMs);
}

/** What puts a tree back, as a person would type it. */
async function bareReset(host: BenchHost): Promise<number> {
  const { path, branch } = await addBare(host);
  writeFileSync(join(path, 'changed.txt'), 'half\n');
  const ms = await timedProcess(['git', 'reset', '-q', '--hard'], { cwd: path });
  await removeBare(host, { path, branch });
  return ms;
}

/** Handed in together, approved once all are planned; of the backlog the share of one task of all. What becomes of them, and their asks, stands in no other figure. */
async function countEvents({ host, samples }: Measuring, count: number): Promise<void> {
  const place = await openAsked(host, 'events', stepwise('[[classify, plan]]'));
  const { backlog } = place;
  const { project } = backlog;
  const tasks = Array.from({ length: count }, (_, n) => ({ task: `change changed.txt ${n}`, base: BASE }));
  const ids = idsOf(await backlog.create(tasks));
  await until('all are planned', async () => (await backlog.status()).counts.gated === count, count * 10_000);
  // One after the other: all of them change the same file.
  for (const id of ids) await approveTask(place, id);
  const lengthOf = async (workflowId: string) =>
    (await host.client.workflow.getHandle(workflowId).describe()).historyLength;
  const share = (await lengthOf(backlogId(project))) / count;
  add(samples, 'backlogShareEvents', share);
  let all = 0;
  for (const id of ids) {
    const runId = runIdOfItem({ project, id }, 1);
    const workflows = { item: itemWorkflowId({ project, id }), run: runId, landing: landingId(runId) };
    for (const [name, workflowId] of Object.entries(workflows)) {
      const events = await lengthOf(workflowId);
      add(samples, `${name}Events`, events);
      all += events;
    }
  }
  // One sample, the mean: what chance adds to a single task is no event too many.
  add(samples, 'eventsPerPlannedTask', share + all / count);
}
