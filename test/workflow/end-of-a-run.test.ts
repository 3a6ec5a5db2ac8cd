/** Who hears of the end of a task's run: its item by the answer of its child, whoever else works for an item by a signal. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { itemWorkflowId, runIdOfItem } from '../../protocol/actors/item.js';
import { OWNER_WAITS_SIGNAL, RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import { openBacklog } from '../support/backlog-client.js';
import { openStubWorkers, type StubHost, type StubWorkers, stubOpen } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

let workers: StubWorkers;

beforeAll(async () => {
  workers = await openStubWorkers();
}, LIMIT_MS);
afterAll(() => workers.close(), LIMIT_MS);

/** Its words to its owner, in order. */
async function toldBy(run: WorkflowHandle): Promise<readonly string[]> {
  const { events } = await run.fetchHistory();
  const signals = (events ?? []).flatMap(
    ({ signalExternalWorkflowExecutionInitiatedEventAttributes: signal }) => signal ?? [],
  );
  return signals
    .filter(({ signalName }) => signalName === RUN_CHANGED_SIGNAL)
    .map(({ input }) => JSON.parse(new TextDecoder().decode(input?.payloads?.[0]?.data ?? undefined)).state);
}

/** A task whose run stands still until it is let go. */
async function openTask(): Promise<{ host: StubHost; run: WorkflowHandle; endsAs(): Promise<unknown>; letGo(): void }> {
  const project = `p${randomUUID().slice(0, 8)}`;
  let letGo = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const host = workers.open({ openRun: (input) => gone.then(() => stubOpen(input)) });
  const backlog = await openBacklog(host.client, { project, repo: `/${project}`, host: 'stub' });
  await backlog.create(['change a.txt']);
  await until(async () => (await backlog.item('1')).runs === 1);
  const run = host.client.workflow.getHandle(runIdOfItem({ project, id: '1' }, 1));
  await until(async () => (await run.describe().catch(() => null))?.status.name === 'RUNNING');
  const item = host.client.workflow.getHandle(itemWorkflowId({ project, id: '1' }));
  const endsAs = () => backlog.reaches('1', 'parked').then(() => item.query('status'));
  return { host, run, letGo, endsAs };
}

describe('the end of a run', () => {
  it(
    'is told to its item once, by the answer of its child',
    async () => {
      const { run, letGo, endsAs } = await openTask();
      letGo();

      expect(await endsAs()).toMatchObject({ state: 'parked', result: { outcome: 'merge_ready' } });
      expect(await toldBy(run)).toEqual(['working']);
    },
    LIMIT_MS,
  );

  it(
    'is told to an item that says that it hears no answer',
    async () => {
      const { run, letGo, endsAs } = await openTask();
      await run.signal(OWNER_WAITS_SIGNAL);
      letGo();

      expect(await endsAs()).toMatchObject({ state: 'parked' });
      expect(await toldBy(run)).toEqual(['working', 'closed']);
    },
    LIMIT_MS,
  );

  it(
    'is told to an item whose child the run is not',
    async () => {
      const host = workers.open();
      const owner = `item:p${randomUUID().slice(0, 8)}/1`;
      const run = await host.start({ task: 'change a.txt', repo: '/r', owner, item: { id: '1', hash: 'b7696834' } });
      await run.result();

      expect((await toldBy(run)).at(-1)).toBe('closed');
    },
    LIMIT_MS,
  );
});
