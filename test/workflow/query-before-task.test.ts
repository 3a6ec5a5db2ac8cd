/**
 * Queries that wait for a worker while something ends and a message comes: they can bring the worker the end before the task that holds both.
 * Several runs and tasks at once, since the server chooses the order for each; no order may cost one of them or a message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { ITEM_WORKFLOW, type ItemView, itemWorkflowId } from '../../protocol/actors/item.js';
import { RUN_WORKFLOW, STATUS_QUERY } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { anItemInput } from '../support/an-item.js';
import { viewOf } from '../support/run-steps.js';
import { askedOf, stubAsk } from '../support/stub-ask.js';
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
    const renamed = Promise.all(runs.map(rename));
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

const ITEM_QUEUE = 'asked-before-its-answer';
const ITEM_IDS = Array.from({ length: 12 }, (_none, index) => String(index + 1));

describe('Queries that wait for a worker while the questions of a task are written and their answers come', () => {
  let host: StubHost;
  let after: WorkflowWorker;
  let items: readonly WorkflowHandle[];

  beforeAll(async () => {
    const asking = heldTurns();
    host = await openStubHost({
      runAsk: async (input) =>
        stubAsk(input, input.ask === 'classify' && input.pass === 0 ? { questions: ['tabs or spaces?'] } : {}),
      writeQuestions: async ({ item }) => asking.arrive(item.id),
    });
    const before = await startWorkflowWorker(host.client, ITEM_QUEUE, { bundlePath: BUNDLE_PATH });
    items = await Promise.all(ITEM_IDS.map((id) => startItem(host, id)));
    await until(() => asking.runIds.size === items.length);
    // A Query of one that still has a task waits for that task, wherever it is.
    await until(async () => (await Promise.all(items.map(isAtRest))).every(Boolean));
    await before.stop();

    const asked = Promise.allSettled(
      items.flatMap((item) => Array.from({ length: QUERIES_PER_RUN }, () => viewOf(item))),
    );
    await sleep(ASKED_MS);
    asking.release();
    await until(async () => (await Promise.all(items.map(questionsWritten))).every(Boolean));
    const answered = Promise.all(items.map(answer));
    after = await startWorkflowWorker(host.client, ITEM_QUEUE, { bundlePath: BUNDLE_PATH });
    await Promise.all([asked, answered]);
    await until(async () => (await Promise.all(items.map(stateOf))).every((state) => state === 'gated'));
  }, LIMIT_MS);

  afterAll(async () => {
    await after.stop();
    await host.close();
  }, LIMIT_MS);

  it('cost no task: the history of each replays', async () => {
    expect(await replayErrors(items)).toEqual([]);
  });
});

async function startItem({ client }: StubHost, id: string): Promise<WorkflowHandle> {
  const args = [anItemInput({ id, host: 'stub', admission: askedOf() })];
  const workflowId = itemWorkflowId({ project: 'shop', id });
  return client.workflow.start(ITEM_WORKFLOW, {
    workflowId,
    taskQueue: ITEM_QUEUE,
    args,
    workflowTaskTimeout: '5 seconds',
  });
}

/** It only waits for its questions to be written: that its backlog is not there was heard of, and told elsewhere. */
async function isAtRest(item: WorkflowHandle): Promise<boolean> {
  const events = (await item.fetchHistory()).events ?? [];
  return isActivityEnded(events, 'tellBacklog') && events.at(-1)?.workflowTaskCompletedEventAttributes != null;
}

/** The task that holds it waits for a worker. */
async function questionsWritten(item: WorkflowHandle): Promise<boolean> {
  return isActivityEnded((await item.fetchHistory()).events ?? [], 'writeQuestions');
}

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

function isActivityEnded(events: Events, name: string): boolean {
  const begun = events.find(({ activityTaskScheduledEventAttributes: of }) => of?.activityType?.name === name);
  return events.some(
    ({ activityTaskCompletedEventAttributes: of }) =>
      of != null && String(of.scheduledEventId) === String(begun?.eventId),
  );
}

const rename = (run: WorkflowHandle) => say(run, 'rename', { title: TITLE });
const answer = (item: WorkflowHandle) => say(item, 'answer', { by: 'ann', as: 'person', round: 1, answers: ['tabs'] });

/** As a client of ours: an Update that no worker took becomes a Signal. */
async function say(workflow: WorkflowHandle, name: string, argument: object): Promise<void> {
  const said = { ...argument, requestId: 'r-1' };
  try {
    await workflow.executeUpdate(name, { args: [said], updateId: 'r-1' });
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'UnprocessedUpdate') throw error;
    await workflow.signal(name, said);
  }
}

async function stateOf(item: WorkflowHandle): Promise<ItemView['state']> {
  return (await item.query<ItemView>(STATUS_QUERY)).state;
}

async function replayErrors(handles: readonly WorkflowHandle[]): Promise<readonly unknown[]> {
  const histories = await Promise.all(
    handles.map(async (one) => ({ workflowId: one.workflowId, history: await one.fetchHistory() })),
  );
  const errors: unknown[] = [];
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath: BUNDLE_PATH } }, histories)) {
    if (error !== undefined) errors.push(error);
  }
  return errors;
}

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
