/** Landings beside a host that cannot write, and started by hand with whatever somebody thinks of. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import type { LandingView } from '../../protocol/actors/landing.js';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import { LANDING_WORKFLOW, landingId, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { openStubWorkers, type StubWorkers } from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

describe('a landing', () => {
  let workers: StubWorkers;
  beforeAll(async () => {
    workers = await openStubWorkers();
  }, LIMIT_MS);
  afterAll(() => workers.close(), LIMIT_MS);

  it(
    'ends though its host writes nothing of it, is not held longer than a minute by that, and has each line sent with the next',
    async () => {
      const sent: JournalBatch<LandingView>[] = [];
      const host = workers.open({
        writeLanding: async ({ journal }) => {
          sent.push(journal);
          throw ApplicationFailure.nonRetryable('the disk is full');
        },
      });
      const run = await host.start({ task: 'change a.txt', repo: '/repository' });
      await run.result();
      const handle = await host.client.workflow.start(LANDING_WORKFLOW, {
        workflowId: landingId(run.workflowId),
        taskQueue: TASK_QUEUE,
        args: [{}],
      });

      expect(await handle.result()).toMatchObject({ merge: 'merged' });
      expect(sent.at(-1)?.events.map(({ seq }) => seq)).toEqual([1, 2]);
      const { events } = await handle.fetchHistory();
      const written = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) =>
        one?.activityType?.name === 'writeLanding' ? [Number(one.scheduleToCloseTimeout?.seconds)] : [],
      );
      expect(new Set(written)).toEqual(new Set([60]));
    },
    LIMIT_MS,
  );

  it.each([
    ['an empty id', '', [{}]],
    ['a path', '../../etc/passwd', [{}]],
    ['a landing of a landing', 'landing:landing:x', [{}]],
    ['a list', 'list', [['onto', 'main']]],
    ['no input', 'none', []],
    ['fields of other types', 'types', [{ onto: { branch: 1 }, workflowId: 7, isUnasked: 'no', attended: [] }]],
    [
      'a state of its own',
      'state',
      [{}, { rules: 'x', state: { phase: { kind: 'merged', commit: 'f' } }, answered: 3 }],
    ],
    ['an id longer than any run', 'r'.repeat(200), [{}]],
  ])(
    'that is started by hand with %s waits for a person, who gives it up',
    async (_, runId, args) => {
      const host = workers.open();
      const handle = await host.client.workflow.start(LANDING_WORKFLOW, {
        workflowId: landingId(runId),
        taskQueue: TASK_QUEUE,
        args,
      });
      const view = () => handle.query<LandingView>(STATUS_QUERY);
      await until(async () => (await view()).gate !== null);
      expect(await view()).toMatchObject({ merge: 'unmerged', gate: { reason: 'no_answer' } });
      await handle.executeUpdate('approve', { args: [{ decision: 'reject' }] });

      expect(await handle.result()).toMatchObject({ merge: 'abandoned' });
    },
    LIMIT_MS,
  );
});
