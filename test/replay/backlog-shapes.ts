/** Shapes of a backlog and its items: created, approved, run, stopped, done, rejected. */
import type { WorkflowHandle } from '@temporalio/client';
import { backlogId } from '../../protocol/actors/backlog.js';
import { itemWorkflowId } from '../../protocol/actors/item.js';
import { type BacklogOf, openBacklog } from '../support/backlog-client.js';
import { type StubHost, stubTurn } from '../support/stub-host.js';
import type { Shape, Shapes } from './shape.js';

const AT = { repo: '/repository', host: 'stub' };

/** The history of the first item is the one that is kept. */
const itemShape = (
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
const HELD: Shape['activities'] = {
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

export const BACKLOG_SHAPES: Shapes = {
  'item-dependency-failed': LOST_DEPENDENCY,
  'backlog-plain': { start: startBacklog, isEndless: true },
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
