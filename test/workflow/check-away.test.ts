/** Hosts of a merge queue that go away while they check, or take the work and cannot do it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { MERGE_QUEUE_WORKFLOW, type MergeQueueView, mergeQueueId } from '../../protocol/actors/merge-queue.js';
import { forgeQueue, LANDING_WORKFLOW, landingId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { TASK } from '../replay/shape.js';
import { HEAD, openStubWorkers, type StubWorkers, stubBase, stubPull, stubTerms } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

const ENTRY = {
  id: 'owner/e/run-1/1',
  owner: 'nobody',
  runId: 'run-1',
  host: 'stub',
  repoKey: 'shop-1',
  pull: 7,
  head: HEAD,
  priority: 0,
  since: '2026-01-01T00:00:00.000Z',
  attempts: 1,
  retryWaitMs: 1_000,
  watch: false,
  anyway: false,
};

let workers: StubWorkers;
beforeAll(async () => {
  workers = await openStubWorkers();
}, LIMIT_MS);
afterAll(() => workers.close(), LIMIT_MS);

describe('a check of a head that lands', () => {
  it.each([
    ['that others can do is given up where its host takes none for half an hour', 'acme/shop', 1_800],
    ['that its host alone can do waits for it', 'shop-1', 0],
  ])(
    '%s',
    async (_what, repoKey, seconds) => {
      let times = 0;
      const { client } = workers.open({
        landEntry: async () => {
          times += 1;
          const landed =
            times === 1
              ? { kind: 'check' as const, on: HEAD, commit: HEAD }
              : { kind: 'merged' as const, commit: HEAD };
          return { base: stubBase(HEAD), landed };
        },
      });
      const queue = { repoKey, branch: 'main' };
      const handle = await client.workflow.signalWithStart(MERGE_QUEUE_WORKFLOW, {
        workflowId: mergeQueueId(queue),
        taskQueue: TASK_QUEUE,
        args: [queue],
        signal: 'enqueue',
        signalArgs: [ENTRY],
      });
      await until(() => times === 2);

      expect(await waitsOf(handle)).toMatchObject({ checkTree: seconds });
      await handle.terminate();
    },
    LIMIT_MS,
  );
});

describe('a host that takes the work of a queue and cannot do it', () => {
  it.each([
    ['keeps the heads of other hosts from landing for a minute or so', 'acme/shop'],
    ['is named to whoever waits for it alone', 'shop-1'],
  ])(
    '%s',
    async (_what, repoKey) => {
      const fails = async () => Promise.reject(new Error('ENOSPC: no space left on device'));
      const { client } = workers.open({ landEntry: fails, lookAtBase: fails });
      const queue = { repoKey, branch: 'main' };
      const isOnForge = repoKey === 'acme/shop';
      const handle = await client.workflow.signalWithStart(MERGE_QUEUE_WORKFLOW, {
        workflowId: mergeQueueId(queue),
        taskQueue: TASK_QUEUE,
        args: [queue],
        signal: 'enqueue',
        signalArgs: [ENTRY],
      });
      const status = () => handle.query<MergeQueueView>(STATUS_QUERY);
      const there = isOnForge ? await openOther(client) : null;
      if (there !== null)
        await handle.signal('enqueue', { ...ENTRY, id: 'owner/e/run-2/1', runId: 'run-2', host: 'other' });
      await until(async () => (await status()).entries.some(({ nextAttemptAt }) => nextAttemptAt !== null), LIMIT_MS);
      if (there !== null) await until(async () => (await status()).results.length === 1, LIMIT_MS);
      await there?.();

      const { entries, results } = await status();
      expect(entries).toMatchObject([{ runId: 'run-1', state: 'waiting', used: 0 }]);
      expect(results).toMatchObject(isOnForge ? [{ runId: 'run-2', state: 'merged' }] : []);
      await handle.terminate();
    },
    LIMIT_MS,
  );
});

describe('a host that works for other landings', () => {
  it(
    'is asked for its part of one for a quarter of an hour before a person hears that it is away, and by a queue for a minute',
    async () => {
      const forge = { repo: `acme-${randomUUID()}/shop`, checksTimeoutMs: 3_600_000, reactRounds: 2 };
      const terms = stubTerms({ forge, landing: { ...DEFAULT_LANDING, mode: 'auto' } });
      const { client, start } = workers.open({
        findBase: async () => ({ kind: 'branch', branch: 'main', head: null, terms }),
        lookAtPull: async () => ({ kind: 'pull', pull: stubPull({}) }),
        landEntry: async () => ({ base: stubBase(HEAD), landed: { kind: 'merged', commit: HEAD } }),
      });
      const run = await start({ ...TASK, attended: false });
      await run.result();
      const landing = await client.workflow.start(LANDING_WORKFLOW, {
        workflowId: landingId(run.workflowId),
        taskQueue: TASK_QUEUE,
        args: [{ isUnasked: true }],
      });
      await landing.result();

      const queue = client.workflow.getHandle(mergeQueueId({ repoKey: forge.repo, branch: 'main' }));
      expect(await waitsOf(landing)).toMatchObject({ ensurePull: 900, lookAtPull: 900 });
      expect(await waitsOf(queue)).toMatchObject({ landEntry: 60 });
    },
    LIMIT_MS,
  );
});

/** In seconds, how long each activity may wait for its host. */
async function waitsOf(handle: WorkflowHandle): Promise<Readonly<Record<string, number>>> {
  const { events } = await handle.fetchHistory();
  const waits = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) =>
    one == null ? [] : [[one.activityType?.name ?? '', Number(one.scheduleToStartTimeout?.seconds ?? 0)] as const],
  );
  return Object.fromEntries(waits);
}

/** Another host of the forge, which can. Answers how it is closed. */
async function openOther({ options }: Client): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: process.env['SLUICE_TEST_ADDRESS'] ?? '' });
  const worker = await Worker.create({
    connection,
    namespace: options.namespace,
    taskQueue: forgeQueue('other'),
    activities: { landEntry: async () => ({ base: stubBase(HEAD), landed: { kind: 'merged', commit: HEAD } }) },
  });
  const ended = worker.run();
  return async () => {
    worker.shutdown();
    await ended;
    await connection.close();
  };
}
