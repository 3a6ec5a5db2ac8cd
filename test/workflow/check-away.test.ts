/** Hosts of a forge's merge queue that go away while they check. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MERGE_QUEUE_WORKFLOW, mergeQueueId } from '../../protocol/actors/merge-queue.js';
import { TASK_QUEUE } from '../../protocol/names.js';
import { HEAD, openStubWorkers, type StubWorkers, stubBase } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

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
        ...{ workflowId: mergeQueueId(queue), taskQueue: TASK_QUEUE, args: [queue], signal: 'enqueue' },
        signalArgs: [
          {
            ...{ id: 'owner/e/run-1/1', owner: 'nobody', runId: 'run-1', host: 'stub', repoKey: 'shop-1', pull: 7 },
            ...{ head: HEAD, priority: 0, since: '2026-01-01T00:00:00.000Z', attempts: 1, retryWaitMs: 1_000 },
            ...{ watch: false, anyway: false },
          },
        ],
      });
      await until(() => times === 2);

      const { events } = await handle.fetchHistory();
      const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) =>
        one?.activityType?.name === 'checkTree' ? [Number(one.scheduleToStartTimeout?.seconds ?? 0)] : [],
      );
      expect(scheduled).toEqual([seconds]);
      await handle.terminate();
    },
    LIMIT_MS,
  );
});
