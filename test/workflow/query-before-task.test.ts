/**
 * Queries that wait for a worker while a turn ends and a message comes: they can bring the worker the end of the turn before the task that holds both.
 * Several runs at once, since the server chooses the order for each; no order may cost a run or a message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { RUN_WORKFLOW } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { replayErrors } from '../support/replay-errors.js';
import { viewOf } from '../support/run-steps.js';
import { BUNDLE_PATH, openStubHost, type StubHost, stubOpen, stubTurn } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.js';

const QUEUE = 'asked-before-its-task';
const RUN_IDS = Array.from({ length: 8 }, (_none, index) => `asked-${index}`);
const QUERIES_PER_RUN = 3;
/** For the server to have put the Queries before a worker's next poll; nothing tells. One that comes late is answered by the task, as any other. */
const ASKED_MS = 1_000;
const TITLE = 'another title';
const LIMIT_MS = 300_000;

describe('Queries that wait for a worker while a turn ends and a message comes', () => {
  let host: StubHost;
  let after: WorkflowWorker;
  let runs: readonly WorkflowHandle[];
  let titles: readonly unknown[];

  beforeAll(async () => {
    const executing = heldTurns();
    const verifying = heldTurns();
    const held = { executing, verifying } as const;
    host = await openStubHost({
      openRun: async (input) => stubOpen(input, STAGE_LISTS.full, { heartbeatMs: LIMIT_MS }),
      runTurn: async (input) => {
        if (input.stage === 'executing' || input.stage === 'verifying')
          await held[input.stage].arrive(input.place.runId);
        return stubTurn(input);
      },
    });
    const before = await startWorkflowWorker(host.client, QUEUE, { bundlePath: BUNDLE_PATH });
    runs = await Promise.all(RUN_IDS.map((workflowId) => startRun(host, workflowId)));
    await until(() => executing.runIds.size === runs.length);
    await before.stop();

    // One that waited too long for a worker has done its part.
    const asked = Promise.allSettled(runs.flatMap((run) => Array.from({ length: QUERIES_PER_RUN }, () => viewOf(run))));
    await sleep(ASKED_MS);
    executing.release();
    await until(async () => (await Promise.all(runs.map(turnEnded))).every(Boolean));
    const renamed = Promise.all(
      runs.map((run) => run.executeUpdate('rename', { args: [{ title: TITLE, requestId: 'r-1' }] })),
    );
    after = await startWorkflowWorker(host.client, QUEUE, { bundlePath: BUNDLE_PATH });
    await Promise.all([asked, renamed]);
    verifying.release();
    await Promise.all(runs.map((run) => run.result()));
    // By the memo: a Query would be answered by the copy of the run that the worker holds.
    titles = await Promise.all(runs.map(async (run) => (await run.describe()).memo?.['title']));
  }, LIMIT_MS);

  afterAll(async () => {
    await after.stop();
    await host.close();
  }, LIMIT_MS);

  it('cost no run: the history of each replays', async () => {
    expect(await replayErrors(runs)).toEqual([]);
  });

  it('cost no message: each run has the title that it was given', () => {
    expect(titles).toEqual(runs.map(() => TITLE));
  });
});

async function startRun({ client }: StubHost, workflowId: string): Promise<WorkflowHandle> {
  const args = [{ task: 'change a.txt', repo: '/repository' }];
  return client.workflow.start(RUN_WORKFLOW, { workflowId, taskQueue: QUEUE, args, workflowTaskTimeout: '5 seconds' });
}

/** The task that holds the end of the turn waits for a worker. */
async function turnEnded(run: WorkflowHandle): Promise<boolean> {
  const { events } = await run.fetchHistory();
  return events?.at(-1)?.workflowTaskScheduledEventAttributes != null;
}

interface HeldTurns {
  readonly runIds: ReadonlySet<string>;
  arrive(runId: string): Promise<void>;
  release(): void;
}

function heldTurns(): HeldTurns {
  const runIds = new Set<string>();
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    runIds,
    arrive(runId) {
      runIds.add(runId);
      return released;
    },
    release: () => release(),
  };
}
