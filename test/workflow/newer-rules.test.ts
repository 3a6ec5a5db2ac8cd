/** A long-lived workflow while the worker that decides for it is replaced by one with newer rules: here rules by which no turn is counted. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import {
  BUDGET_WORKFLOW,
  budgetWorkflowId,
  type DayBudgetView,
  SETTLE_SIGNAL,
} from '../../protocol/actors/day-budget.js';
import { STATUS_QUERY } from '../../protocol/names.js';
import { askToHandOver } from '../../worker/ask-to-hand-over.js';
import { bundleWith, type ChangedWorkflow } from '../support/changed-workflow.js';
import { BUNDLE_PATH, openStubHost, type StubHost } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.js';

const QUEUE = 'newer-rules';
const LIMIT_MS = 300_000;

describe('a long-lived workflow under a worker with newer rules', () => {
  let newer: ChangedWorkflow;
  let host: StubHost;
  let worker: WorkflowWorker;

  beforeAll(async () => {
    newer = await bundleWith(
      'budget/ledger-rules',
      `export * from './unchanged-ledger-rules.js';
import { LEDGER_RULES as FIRST } from './unchanged-ledger-rules.js';
const [first] = FIRST;
const after = (state, event, now) => (event.kind === 'settle' ? { state, errands: [] } : first.after(state, event, now));
export const LEDGER_RULES = [first, { ...first, after }];
`,
    );
  }, LIMIT_MS);
  afterAll(() => newer.remove());
  beforeEach(async () => {
    host = await openStubHost();
    worker = await startWorkflowWorker(host.client, QUEUE, { bundlePath: BUNDLE_PATH });
  }, LIMIT_MS);
  afterEach(async () => {
    await worker.stop();
    await host.close();
  }, LIMIT_MS);

  async function deploy(bundlePath: string): Promise<void> {
    await worker.stop();
    worker = await startWorkflowWorker(host.client, QUEUE, { bundlePath });
  }

  async function openLedger(project: string): Promise<WorkflowHandle> {
    const { workflowId } = await host.client.workflow.start(BUDGET_WORKFLOW, {
      workflowId: budgetWorkflowId(project),
      taskQueue: QUEUE,
      args: [{ project }],
      workflowTaskTimeout: '3 seconds',
    });
    return host.client.workflow.getHandle(workflowId);
  }

  let tokens = 0;
  const settleOne = (ledger: WorkflowHandle) =>
    ledger.signal(SETTLE_SIGNAL, { token: `t-${++tokens}`, day: new Date().toISOString().slice(0, 10), usage: null });
  const turnsOf = async (ledger: WorkflowHandle) => (await ledger.query<DayBudgetView>(STATUS_QUERY)).settled.turns;
  const rulesOf = async (ledger: WorkflowHandle) => (await ledger.describe()).memo?.['rules'];

  it(
    'decides by its own until it is asked to hand over, and by the newer ones with what it has counted from then on',
    async () => {
      const ledger = await openLedger('older');
      await settleOne(ledger);
      await until(async () => (await turnsOf(ledger)) === 1);
      await deploy(newer.bundlePath);
      await settleOne(ledger);
      await until(async () => (await turnsOf(ledger)) === 2);
      await until(async () => (await host.client.workflow.count(`WorkflowType = "${BUDGET_WORKFLOW}"`)).count === 1);

      await askToHandOver(host.client.workflow, () => undefined, { [BUDGET_WORKFLOW]: 2 });
      await until(async () => (await rulesOf(ledger)) === 2);
      await settleOne(ledger);

      expect(await turnsOf(ledger)).toBe(2);
    },
    LIMIT_MS,
  );

  it(
    'that is started under it has the newest, also after the worker is replaced again',
    async () => {
      await deploy(newer.bundlePath);
      const ledger = await openLedger('newer');
      await until(async () => (await rulesOf(ledger)) === 2);
      await settleOne(ledger);
      await deploy(newer.bundlePath);
      await settleOne(ledger);

      expect(await turnsOf(ledger)).toBe(0);
    },
    LIMIT_MS,
  );
});
