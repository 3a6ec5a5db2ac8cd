/** Long-lived workflows on the real server, asked for a new execution at every step, with messages that wait and signals that nobody knows. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { BatchView } from '../../protocol/actors/batch.js';
import {
  BUDGET_WORKFLOW,
  budgetWorkflowId,
  type DayBudgetView,
  SETTLE_SIGNAL,
} from '../../protocol/actors/day-budget.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import { BATCH_WORKFLOW, HAND_OVER_SIGNAL, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { limitedRuns, limitedUntil } from '../support/limited-runs.js';
import { BUNDLE_PATH, openStubWorkers, type StubWorkers } from '../support/stub-host.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const LIMIT_MS = 300_000;

describe('a long-lived workflow that is asked to hand over', () => {
  let workers: StubWorkers;

  beforeAll(async () => {
    workers = await openStubWorkers();
  }, LIMIT_MS);
  afterAll(() => workers.close(), LIMIT_MS);

  const executionOf = async (handle: WorkflowHandle) => (await handle.describe()).runId;

  it(
    'counts each of the messages that come meanwhile once, whichever execution they reach',
    async () => {
      const { client } = workers.open();
      const project = `p-${randomUUID().slice(0, 8)}`;
      const ledger = await client.workflow.start(BUDGET_WORKFLOW, {
        workflowId: budgetWorkflowId(project),
        taskQueue: TASK_QUEUE,
        args: [{ project }],
      });
      const first = await executionOf(ledger);
      const here = client.workflow.getHandle(ledger.workflowId);
      const day = new Date().toISOString().slice(0, 10);
      const settlements = Array.from({ length: 40 }, (_, n) => ({
        token: `t-${n}`,
        day,
        usage: { durationMs: 1, costMicroUsd: 1, tokens: null },
      }));
      for (const settlement of settlements) {
        await Promise.all([
          here.signal(SETTLE_SIGNAL, settlement),
          here.signal(HAND_OVER_SIGNAL),
          here.signal('no-such-signal', settlement),
          here.signal(SETTLE_SIGNAL, settlement),
        ]);
      }
      const view = () => here.query<DayBudgetView>(STATUS_QUERY);
      await until(async () => (await view()).settled.turns >= settlements.length);

      expect((await view()).settled).toEqual({ turns: 40, ms: 40, microUsd: 40, tokens: 0 });
      expect(await executionOf(here)).not.toBe(first);
      expect((await here.describe()).memo).toEqual({ rules: 1 });
    },
    LIMIT_MS,
  );

  it(
    'still knows who waits for it, and lets them go on',
    async () => {
      let turns = 0;
      const runs = limitedRuns(workers, () => (++turns <= 2 ? limitedUntil(HOUR_MS) : {}), { name: 'handed' });
      const handles = [await runs.start('a'), await runs.start('b')];
      await runs.untilGate((view) => view?.waiting === 2);
      const first = await executionOf(runs.gate());
      await runs.gate().signal(HAND_OVER_SIGNAL);
      await until(async () => (await executionOf(runs.gate())) !== first);
      const carried = await runs.untilGate((view) => view?.waiting === 2);
      const answer = await runs.gate().executeUpdate<MessageAnswer, [unknown]>('open', { args: [{ by: 'ada' }] });

      expect(carried).toMatchObject({ state: 'closed', waiting: 2 });
      expect(answer).toMatchObject({ changed: true, status: 'open' });
      for (const handle of handles) expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    },
    LIMIT_MS,
  );

  it(
    'ends in the new execution the time of waiting that began in the one before',
    async () => {
      let turns = 0;
      // Waited out; the gate is to have been handed over by then.
      const runs = limitedRuns(workers, () => (++turns === 1 ? limitedUntil(15_000) : {}), { name: 'timed' });
      const handle = await runs.start('a');
      await runs.untilGate((view) => view?.waiting === 1);
      const first = await executionOf(runs.gate());
      await runs.gate().signal(HAND_OVER_SIGNAL);

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await runs.gate().result()).toMatchObject({ state: 'open' });
      expect(await executionOf(runs.gate())).not.toBe(first);
    },
    LIMIT_MS,
  );

  it(
    'goes on where its children are its own, and reads what nobody knows: a batch ends with its whole table, and replays',
    async () => {
      const { client } = workers.open();
      const tasks = ['one', 'two', 'three'].map((task) => ({ task, repo: '/repository' }));
      const workflowId = `batch:${randomUUID().slice(0, 8)}`;
      const batch = await client.workflow.start(BATCH_WORKFLOW, {
        workflowId,
        taskQueue: TASK_QUEUE,
        args: [{ tasks, concurrency: 1 }],
      });
      for (let n = 0; n < 20; n += 1)
        await batch.signal(n % 2 === 0 ? 'no-such-signal' : HAND_OVER_SIGNAL, { n }).catch(() => undefined);
      const view = (await batch.result()) as BatchView;
      const history = await batch.fetchHistory();

      expect(view.rows.map(({ outcome }) => outcome)).toEqual(['merge_ready', 'merge_ready', 'merge_ready']);
      expect((await batch.describe()).runId).toBe(batch.firstExecutionRunId);
      await expect(
        Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, history, workflowId),
      ).resolves.toBeUndefined();
    },
    LIMIT_MS,
  );
});
