/** Shapes of a backlog and its items: created, approved, run, stopped, done, rejected. */
import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId, LANDING_CHANGED_SIGNAL, runIdOfItem } from '../../protocol/actors/item.js';
import { HAND_OVER_SIGNAL, RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { type BacklogOf, openBacklog } from '../support/backlog-client.js';
import { stubAdmit } from '../support/stub-admit.js';
import { type StubHost, stubOpen, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';
import type { Shape, Shapes } from './shape.js';

export const AT = { repo: '/repository', host: 'stub' };

/** The history of the first item is the one that is kept. */
export const itemShape = (
  task: Record<string, unknown>,
  drive: (backlog: BacklogOf) => Promise<unknown>,
  activities: Shape['activities'] = {},
): Shape => ({
  activities,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create([{ task: 'change a.txt', ...task }], 'a-key');
    await drive(backlog);
    return host.client.workflow.getHandle(itemWorkflowId({ project, id: '1' }));
  },
});

/** An agent that works until its turn is ended. */
export const HELD: Shape['activities'] = {
  runTurn: async (input) => {
    const { Context } = await import('@temporalio/activity');
    const beat = setInterval(() => Context.current().heartbeat(), 100);
    await Context.current().cancelled.finally(() => clearInterval(beat));
    return stubTurn(input);
  },
};

async function startBacklog(host: StubHost, project: string): Promise<WorkflowHandle> {
  const backlog = await openBacklog(host.client, { project, ...AT });
  await backlog.say('pause');
  await backlog.create(['one', { task: 'two', priority: 3 }, { task: 'three', gate: 'start' }], 'a-key');
  await backlog.create(['one', { task: 'two', priority: 3 }, { task: 'three', gate: 'start' }], 'a-key');
  await backlog.tell('3', 'reject');
  await backlog.say('resume');
  for (const id of ['1', '2']) {
    await backlog.reaches(id, 'parked');
    await backlog.tell(id, 'done');
    await backlog.reaches(id, 'closed');
  }
  return host.client.workflow.getHandle(backlogId(project));
}

/** The second task waits for the first, which is given up. */
const LOST_DEPENDENCY: Shape = {
  activities: {},
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(
      [
        { task: 'one', gate: 'start' },
        { task: 'two', dependsOn: ['1'], files: ['src/**'] },
      ],
      'a-key',
    );
    await backlog.tell('1', 'reject');
    await backlog.reaches('2', 'parked');
    await backlog.tell('2', 'done');
    return host.client.workflow.getHandle(itemWorkflowId({ project, id: '2' }));
  },
};

/** Its landing tells how its head stands: ready, made anew, ready again, on its base. */
const LANDED: Shape = {
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(['change a.txt'], 'a-key');
    await backlog.reaches('1', 'parked');
    const item = host.client.workflow.getHandle(itemWorkflowId({ project, id: '1' }));
    for (const state of ['ready', 'waiting', 'ready', 'merged']) {
      await item.signal(LANDING_CHANGED_SIGNAL, { runId: runIdOfItem({ project, id: '1' }, 1), state });
      if (state !== 'merged') await until(async () => (await backlog.item('1')).head === state);
    }
    return item;
  },
};

/** Put back to before it was approved, while its run is at work: it takes up what it started itself. */
const RESET: Shape = {
  activities: HELD,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create([{ task: 'change a.txt', gate: 'start' }], 'a-key');
    await backlog.tell('1', 'approve');
    await backlog.reaches('1', 'running');
    const workflowId = itemWorkflowId({ project, id: '1' });
    const { events } = await host.client.workflow.getHandle(workflowId).fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes != null);
    const { runId } = await host.client.workflowService.resetWorkflowExecution({
      namespace: host.client.options.namespace,
      workflowExecution: { workflowId },
      reason: 'a recording',
      requestId: randomUUID(),
      workflowTaskFinishEventId: first?.eventId ?? null,
      resetReapplyType: RESET_REAPPLY_NONE,
    });
    await backlog.reaches('1', 'gated');
    await backlog.tell('1', 'approve');
    await backlog.reaches('1', 'running');
    await backlog.tell('1', 'done');
    return host.client.workflow.getHandle(workflowId, runId);
  },
};

/** Each of its executions but the last continued as new. */
export async function handedOver({ client }: StubHost, workflowId: string): Promise<WorkflowHandle> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  await client.workflow.getHandle(workflowId).signal(HAND_OVER_SIGNAL);
  await until(async () => (await client.workflow.getHandle(workflowId).describe()).runId !== runId);
  return client.workflow.getHandle(workflowId, runId);
}

/** It hands over while one task waits for a word, one for another, one is paused, and one is parked. */
const HANDED_OVER: Shape = {
  isEndless: true,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(
      ['one', { task: 'two', gate: 'start', files: ['src/**'] }, { task: 'three', dependsOn: ['#2'] }, 'four'],
      'a-key',
    );
    await backlog.say('set', { maxConcurrent: 3, order: 'priority' });
    await backlog.tell('4', 'pause');
    await backlog.reaches('1', 'parked');
    const before = await handedOver(host, backlogId(project));
    await backlog.say('abort');
    for (const id of ['1', '2', '3', '4']) await backlog.tell(id, 'done');
    return before;
  },
};

/** Somebody ends it; the next word begins it anew, and it asks those that are open. */
const REBUILT: Shape = {
  isEndless: true,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(
      [
        { task: 'one', gate: 'start' },
        { task: 'two', gate: 'start' },
      ],
      'a-key',
    );
    const query = `WorkflowType = "item" AND ExecutionStatus = "Running"`;
    await until(async () => (await host.client.workflow.count(query)).count >= 2);
    await host.client.workflow.getHandle(backlogId(project)).terminate();
    const anew = await openBacklog(host.client, { project, ...AT });
    await until(async () => (await anew.status()).counts.gated === 2);
    await anew.tell('1', 'approve');
    await anew.reaches('1', 'parked');
    for (const id of ['1', '2']) await anew.tell(id, 'done');
    return host.client.workflow.getHandle(backlogId(project));
  },
};

/** Its run waits for a person, and for its account, and goes on. */
const WAITING: Shape = {
  activities: HELD,
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(['change a.txt'], 'a-key');
    await backlog.reaches('1', 'running');
    const item = host.client.workflow.getHandle(itemWorkflowId({ project, id: '1' }));
    const runId = runIdOfItem({ project, id: '1' }, 1);
    for (const [state, waits] of [
      ['approval', 'person'],
      ['working', null],
      ['usage_limit', 'account'],
      ['reviewing', null],
    ]) {
      await item.signal(RUN_CHANGED_SIGNAL, { runId, state });
      await until(async () => (await backlog.item('1')).waits === waits);
    }
    await backlog.tell('1', 'pause');
    await backlog.tell('1', 'done');
    await backlog.reaches('1', 'closed');
    return item;
  },
};

/** Of the server's API. */
const RESET_REAPPLY_NONE = 2;

export const BACKLOG_SHAPES: Shapes = {
  'item-landed': LANDED,
  'item-reset': RESET,
  'item-expired': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'running');
      await backlog.tell('1', 'stop');
    },
    { ...HELD, admit: stubAdmit({ parkedDays: 0 }) },
  ),
  'item-opened-again': itemShape({}, async (backlog) => {
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'done');
    await backlog.reaches('1', 'closed');
    await backlog.create([{ again: '1', runs: 1, note: 'once more' }], 'again');
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'done');
  }),
  'item-dependency-failed': LOST_DEPENDENCY,
  'backlog-plain': { start: startBacklog, isEndless: true },
  'backlog-continued-as-new': HANDED_OVER,
  'backlog-begun-anew': REBUILT,
  'item-waiting': WAITING,
  'item-answered': itemShape({ kind: 'answer' }, (backlog) => backlog.reaches('1', 'closed'), {
    openRun: async (input) => stubOpen(input, STAGE_LISTS['plan-only']),
  }),
  'item-paused-and-set': itemShape({ gate: 'start' }, async (backlog) => {
    await backlog.tell('1', 'pause');
    await backlog.tell('1', 'set', { by: 'ann', priority: 5, files: ['src/**'], dependsOn: [] });
    await backlog.tell('1', 'approve');
    await backlog.tell('1', 'resume');
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'done');
  }),
  'item-continued-as-new': {
    async start(host, project) {
      const backlog = await openBacklog(host.client, { project, ...AT });
      await backlog.create([{ task: 'change a.txt', gate: 'start' }], 'a-key');
      const before = await handedOver(host, itemWorkflowId({ project, id: '1' }));
      await backlog.tell('1', 'reject');
      return before;
    },
  },
  'item-approved-and-done': itemShape({ gate: 'start' }, async (backlog) => {
    await backlog.tell('1', 'approve');
    await backlog.reaches('1', 'parked');
    await backlog.tell('1', 'done', { by: 'ann', note: 'landed by hand' });
  }),
  'item-rejected': itemShape({ gate: 'start' }, (backlog) => backlog.tell('1', 'reject')),
  'item-run-again': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'running');
      await backlog.tell('1', 'stop');
      await backlog.reaches('1', 'parked');
      await backlog.tell('1', 'run', { by: 'bob', note: 'go on' });
      await backlog.reaches('1', 'running');
      await backlog.tell('1', 'done');
    },
    HELD,
  ),
  'item-stopped-and-deleted': itemShape(
    {},
    async (backlog) => {
      await backlog.reaches('1', 'running');
      await backlog.tell('1', 'stop');
      await backlog.reaches('1', 'parked');
      await backlog.tell('1', 'remove');
    },
    HELD,
  ),
};
