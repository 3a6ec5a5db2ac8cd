import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import { WithStartWorkflowOperation, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { BatchRow, BatchView } from '../../protocol/actors/batch.js';
import { FAILURES } from '../../protocol/failures.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import {
  ANY_HOST_QUEUE,
  BATCH_WORKFLOW,
  HAND_OVER_SIGNAL,
  RUN_WORKFLOW,
  STATUS_QUERY,
  TASK_QUEUE,
} from '../../protocol/names.js';
import { refusalFailure } from '../../protocol/text/refusal.js';
import { type Activities, openStubHost, type StubHost, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';

const REPO = '/repository';

describe('the workflow batch', () => {
  let host: StubHost;

  afterEach(() => host.close());

  async function start(
    tasks: readonly unknown[],
    more: Record<string, unknown> = {},
    workflowId = newId(),
  ): Promise<WorkflowHandle> {
    const args = [{ defaults: { repo: REPO }, tasks, ...more }];
    return host.client.workflow.start(BATCH_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args });
  }

  const newId = () => `batch:${randomUUID().slice(0, 8)}`;
  const resultOf = async (handle: WorkflowHandle) => (await handle.result()) as BatchView;
  const viewOf = (handle: WorkflowHandle) => handle.query<BatchView>(STATUS_QUERY);
  const tasks = (...names: string[]) => names.map((task) => ({ task }));
  const short = ({ rows }: BatchView) =>
    rows.map(({ title, state, outcome }: BatchRow) => `${title} ${state} ${outcome ?? '-'}`);

  it('runs every task, unattended, as a child run of its own, and answers one table in the order of the list', async () => {
    host = await openStubHost();
    const handle = await start(tasks('one', 'two', 'three'), { concurrency: 3 }, 'batch:nightly-2026-11-21T02:00:00Z');

    const view = await resultOf(handle);
    const inputs = await Promise.all(view.rows.map(({ runId }) => inputOf(runId)));

    expect(view).toMatchObject({ batchId: 'batch-nightly-2026-11-21T02-00-00Z', aborted: false });
    expect(short(view)).toEqual(['one ended merge_ready', 'two ended merge_ready', 'three ended merge_ready']);
    expect(new Set(view.rows.map(({ runId }) => runId)).size).toBe(3);
    expect(view.rows[0]).toMatchObject({ branch: `sluice/${view.rows[0]?.runId}` });
    expect(view.rows[0]?.runId).toMatch(/^batch-nightly-2026-11-21T02-00-00Z-[0-9a-f]{8}$/);
    expect(inputs).toEqual(['one', 'two', 'three'].map((task) => ({ repo: REPO, task, attended: false })));
    expect((await handle.describe()).memo).toMatchObject({ status: 'ended', total: 3, ended: 3, mergeReady: 3 });
    expect(await viewOf(handle)).toEqual(view);
    // 500 tasks must stay far below the server's 51 200 events.
    expect((await handle.describe()).historyLength).toBeLessThan(15 * view.rows.length);
  });

  async function inputOf(runId: string): Promise<unknown> {
    const { events } = await host.client.workflow.getHandle(runId).fetchHistory();
    const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    return JSON.parse(new TextDecoder().decode(data ?? undefined));
  }

  it('hands its tasks in to the backlogs of their repositories, each once, and shows their numbers and what was refused', async () => {
    host = await openStubHost({ findBacklog: async ({ repo }) => ({ hostId: 'stub', project: projectIn(repo) }) });
    const shop = `shop-${randomUUID().slice(0, 8)}`;
    const projectIn = (repo: string) => (repo === '/other' ? `other-${shop}` : shop);
    const id = newId();
    const list = [{ task: 'one' }, { task: 'two' }, { task: 'three', repo: '/other' }, { task: 'a'.repeat(4_097) }];

    const first = await resultOf(await start(list, { to: 'backlog' }, id));
    const again = await resultOf(await start(list.slice(0, 2), { to: 'backlog' }, id));
    const another = await resultOf(await start([{ task: 'one' }], { to: 'backlog' }));

    expect(first.rows.map(({ state }) => state)).toEqual(['handed_in', 'handed_in', 'handed_in', 'refused']);
    expect(
      first.rows
        .slice(0, 3)
        .map(({ runId }) => runId)
        .toSorted(),
    ).toEqual([`${shop}-1`, `${shop}-2`, `other-${shop}-1`].toSorted());
    expect(first.rows[3]?.error).toContain('has 4097 bytes; at most 4096 are taken');
    expect(again.rows.map(({ state }) => state)).toEqual(['skipped', 'skipped']);
    expect(again.rows.map(({ runId }) => runId)).toEqual(first.rows.slice(0, 2).map(({ runId }) => runId));
    expect(short(another)).toEqual(['one handed_in -']);
    expect(another.rows[0]?.runId).toBe(`${shop}-3`);
  });

  it('asks again for a backlog whose host is away, until somebody aborts it', async () => {
    host = await openStubHost();
    const handle = await start([{ task: 'one', host: 'nobody' }], { to: 'backlog' });
    const waits = async () =>
      (await handle.fetchHistory()).events?.some((event) => event.timerStartedEventAttributes != null) === true;
    await until(waits, 60_000);
    expect((await viewOf(handle)).rows.map(({ state }) => state)).toEqual(['waiting']);
    await handle.executeUpdate('abort', { args: [{ by: 'ann' }] });

    expect(short(await resultOf(handle))).toEqual(['one not_started -']);
  });

  it('hands the tasks of a repository in by the one host that answered first, whoever else would', async () => {
    const shop = `shop-${randomUUID().slice(0, 8)}`;
    let asked = 0;
    host = await openStubHost({
      findBacklog: async () => {
        const isOfAny = Context.current().info.taskQueue === ANY_HOST_QUEUE;
        if (isOfAny) asked += 1;
        return { hostId: isOfAny && asked > 1 ? 'other' : 'stub', project: isOfAny && asked > 1 ? 'other' : shop };
      },
    });
    const view = await resultOf(await start(tasks('one', 'two', 'three'), { to: 'backlog', concurrency: 3 }));

    expect(asked).toBe(1);
    expect(view.rows.map(({ runId }) => runId).toSorted()).toEqual([1, 2, 3].map((n) => `${shop}-${n}`));
  });

  it('waits for a host in as many executions as it takes, and forgets nothing of the tasks that were handed in', async () => {
    const shop = `shop-${randomUUID().slice(0, 8)}`;
    host = await openStubHost({ findBacklog: async () => ({ hostId: 'stub', project: shop }) });
    const handle = await start([{ task: 'one' }, { task: 'two', host: 'nobody' }], { to: 'backlog' });
    const { runId: first } = await handle.describe();
    await handle.signal(HAND_OVER_SIGNAL);
    await until(async () => (await handle.describe()).runId !== first);
    await handle.executeUpdate('abort', { args: [{ by: 'ann' }] });

    expect(short(await resultOf(handle))).toEqual(['one handed_in -', 'two not_started -']);
  });

  it('never has more runs open than its limit', async () => {
    let open = 0;
    let most = 0;
    let opened = 0;
    host = await openStubHost({
      openRun: async () => {
        opened += 1;
        open += 1;
        most = Math.max(most, open);
        // The first one waits for the second: both are open at once, however slow the machine.
        if (opened === 1) await until(async () => opened > 1);
        open -= 1;
        throw ApplicationFailure.nonRetryable('not served', FAILURES.RepositoryNotServed);
      },
    });

    await resultOf(await start(tasks('1', '2', '3', '4', '5', '6'), { concurrency: 2 }));

    expect(most).toBe(2);
  });

  it('goes on past a run that fails, one that is refused and one that is terminated, and skips an entry that stands twice', async () => {
    host = await openStubHost({
      pickHost: async ({ repo }) => {
        const parts = { what: `no repository ${repo}`, why: 'it is not on the list', now: '', mend: 'sluice init' };
        if (repo === '/nowhere') throw ApplicationFailure.create(refusalFailure(FAILURES.RepositoryNotServed, parts));
        return { hostId: 'stub' };
      },
      runTurn: async (input) => {
        const task = await taskOf(input.place.runId);
        if (task === 'hang') return holdTurn();
        return stubTurn(input, task === 'fail' ? { outcome: { kind: 'hard', why: 'exit 1' } } : {});
      },
    });
    const handle = await start([...tasks('fail', 'hang', 'good', 'good'), { task: 'away', repo: '/nowhere' }]);
    const hanging = async () => (await viewOf(handle)).rows[1];
    await until(async () => (await hanging())?.state === 'running');
    await host.client.workflow.getHandle((await hanging())?.runId ?? '').terminate('by a person');

    const { rows } = await resultOf(handle);

    expect(rows.map(({ state, outcome }) => [state, outcome])).toEqual([
      ['ended', 'failed'],
      ['refused', null],
      ['ended', 'merge_ready'],
      ['skipped', null],
      ['refused', null],
    ]);
    expect(rows[3]?.error).toBe('the same task is entry 3 of the list');
    expect(rows[4]?.error).toBe('no repository /nowhere');
  });

  async function taskOf(runId: string): Promise<unknown> {
    const input = await inputOf(runId);
    return typeof input === 'object' && input !== null && 'task' in input ? input.task : null;
  }

  it('started again under its id skips what it ran and runs what was added', async () => {
    host = await openStubHost();
    const id = newId();
    const first = await resultOf(await start(tasks('one', 'two'), {}, id));

    const second = await resultOf(await start(tasks('two', 'three', 'one'), {}, id));

    expect(short(second)).toEqual(['two skipped -', 'three ended merge_ready', 'one skipped -']);
    expect(second.rows[0]?.runId).toBe(first.rows[1]?.runId);
  });

  it('refuses a wrong entry by its place and starts nothing', async () => {
    host = await openStubHost();
    const error: unknown = await start([{ task: 'one' }, { task: 'two', repo: 'here' }])
      .then(resultOf)
      .catch((err: unknown) => err);

    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect((error as WorkflowFailedError).cause).toMatchObject({
      type: FAILURES.BadInput,
      message: expect.stringContaining('tasks[1].repo'),
    });
    expect(host.turns).toEqual([]);
  });

  describe('aborted', () => {
    const holding: Partial<Activities> = { runTurn: () => holdTurn() };

    async function startHeld(): Promise<WorkflowHandle> {
      host = await openStubHost(holding);
      const handle = await start(tasks('one', 'two', 'three', 'four'), { concurrency: 2 });
      await until(() => host.turns.length === 2);
      return handle;
    }

    const ABORTED = ['one ended aborted', 'two ended aborted', 'three not_started -', 'four not_started -'];

    it('by Update ends its running runs, starts no other and completes; a second abort changes nothing', async () => {
      const handle = await startHeld();
      const abort = (requestId: string) =>
        handle.executeUpdate<MessageAnswer, [unknown]>('abort', {
          args: [{ by: 'kim', reason: 'wrong list', requestId }],
          updateId: requestId,
        });

      const answer = await abort('1');
      const again = await abort('2').catch(() => null);
      const view = await resultOf(handle);

      expect(answer).toMatchObject({ changed: true, status: 'aborting' });
      expect(again?.changed ?? false).toBe(false);
      expect(view.aborted).toBe(true);
      expect(short(view)).toEqual(ABORTED);
      expect((await handle.describe()).memo).toMatchObject({ status: 'aborted', not_started: 2 });
    });

    it.each([[undefined], [{ by: 'kim' }]])('by Signal with %j does the same', async (argument) => {
      const handle = await startHeld();

      await handle.signal('abort', ...(argument === undefined ? [] : [argument]));

      expect(short(await resultOf(handle))).toEqual(ABORTED);
    });

    it('by native cancellation does the same, and completes all the same', async () => {
      const handle = await startHeld();

      await handle.cancel();

      expect(short(await resultOf(handle))).toEqual(ABORTED);
      expect((await handle.describe()).status.name).toBe('COMPLETED');
    });

    it('in the very moment of its start leaves no run behind', async () => {
      host = await openStubHost(holding);
      const workflowId = newId();
      const startWorkflowOperation = new WithStartWorkflowOperation(BATCH_WORKFLOW, {
        workflowId,
        taskQueue: TASK_QUEUE,
        workflowIdConflictPolicy: 'FAIL',
        args: [{ defaults: { repo: REPO }, tasks: tasks('one', 'two', 'three') }],
      });
      await host.client.workflow.executeUpdateWithStart('abort', { startWorkflowOperation, args: [{}] });

      const view = await resultOf(host.client.workflow.getHandle(workflowId));
      const open = async () =>
        (await host.client.workflow.count(`WorkflowType = "${RUN_WORKFLOW}" AND ExecutionStatus = "Running"`)).count;

      expect(view.aborted).toBe(true);
      expect(view.rows.every(({ state, outcome }) => state === 'not_started' || outcome === 'aborted')).toBe(true);
      await until(async () => (await open()) === 0);
    });

    it('is not by an argument that cannot be read', async () => {
      const handle = await startHeld();
      await handle.signal('abort', { bye: 1 });

      await expect(handle.executeUpdate('abort', { args: [{ bye: 1 }] })).rejects.toMatchObject({
        cause: { type: FAILURES.MessageRefused },
      });

      expect((await viewOf(handle)).aborted).toBe(false);
      await handle.cancel();
      await handle.result();
    });
  });
});

/** A turn that goes on until it is cancelled. */
async function holdTurn(): Promise<never> {
  const beat = setInterval(() => Context.current().heartbeat(), 20);
  return Context.current().cancelled.finally(() => clearInterval(beat));
}
