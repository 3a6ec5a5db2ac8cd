/** Backlogs and items that somebody starts or speaks to by hand, in ways that no command does. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { BACKLOG_WORKFLOW, backlogId } from '../../protocol/actors/backlog.js';
import { ITEM_WORKFLOW, itemWorkflowId } from '../../protocol/actors/item.js';
import { TASK_QUEUE } from '../../protocol/names.js';
import { idsOf, openBacklog } from '../support/backlog-client.js';
import { openedOnce } from '../support/opened.js';
import { openStubWorkers } from '../support/stub-host.js';
import { until } from '../support/until.js';

const newProject = () => `p${randomUUID().slice(0, 8)}`;

describe('a backlog that is misused', () => {
  const workers = openedOnce(openStubWorkers);

  async function failureOf(type: string, workflowId: string, args: unknown[]): Promise<unknown> {
    const { client } = workers.open();
    const handle = await client.workflow.start(type, { workflowId, taskQueue: TASK_QUEUE, args });
    return handle.result().catch((error: unknown) => (error instanceof WorkflowFailedError ? error.cause : error));
  }

  it.each([
    ['an item without an input', ITEM_WORKFLOW, 'item:shop/1', []],
    ['an item with another input', ITEM_WORKFLOW, 'item:shop/1', [{ project: 'shop', id: '1' }]],
    ['an item of another name', ITEM_WORKFLOW, 'my-item', [{}]],
    ['a backlog of another name', BACKLOG_WORKFLOW, 'my-backlog', []],
    ['a backlog of no project', BACKLOG_WORKFLOW, 'backlog:../etc', []],
  ])('fails at once as %s', async (_what, type, workflowId, args) => {
    const failure = await failureOf(type, `${workflowId}`, [...args]);

    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ type: 'BadInput', nonRetryable: true });
  });

  it('refuses what it cannot read, and goes on', async () => {
    const { client } = workers.open();
    const project = newProject();
    const backlog = await openBacklog(client, { project, repo: '/repository', host: 'stub' });
    const handle = client.workflow.getHandle(backlogId(project));
    for (const argument of [null, 7, 'x', [], { tasks: 7 }, { id: '1', version: 'x' }]) {
      for (const name of ['create', 'itemChanged', 'nobody']) await handle.signal(name, argument);
    }

    expect(idsOf(await backlog.create(['one']))).toEqual(['1']);
    const item = client.workflow.getHandle(itemWorkflowId({ project, id: '1' }));
    for (const name of ['slotGranted', 'report', 'runChanged', 'landed', 'approve', 'nobody'])
      await item.signal(name, 'x');
    await backlog.reaches('1', 'parked');
  });

  it('starts the run of an item under another id where somebody has its own', async () => {
    const host = workers.open();
    const project = newProject();
    const taken = await host.start({ task: 'mine', repo: '/repository' }, `${project}-1`);
    await taken.result();
    const backlog = await openBacklog(host.client, { project, repo: '/repository', host: 'stub' });
    await backlog.create(['one']);

    expect(await backlog.reaches('1', 'parked')).toMatchObject({ run: `${project}-1.2`, runs: 2 });
  });

  it('frees the slot of an item that was terminated, once its run is closed, and is told by an item where it was terminated itself', async () => {
    const { client } = workers.open();
    const project = newProject();
    const backlog = await openBacklog(client, { project, repo: '/repository', host: 'stub' });
    await backlog.say('pause');
    await backlog.create(['one', 'two']);
    await client.workflow.getHandle(itemWorkflowId({ project, id: '1' })).terminate('by hand');
    await backlog.say('resume');

    await backlog.reaches('2', 'parked');
    await until(async () => (await backlog.status()).entries.every(({ id }) => id === '2'));
    await client.workflow.getHandle(backlogId(project)).terminate('by hand');
    await backlog.tell('2', 'done');
    const again = client.workflow.getHandle(backlogId(project));
    await until(async () => (await again.describe()).status.name === 'RUNNING');
  });
});
