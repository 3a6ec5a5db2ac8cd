/** Shapes of a backlog that waits: for its host, for a slot; and of an item whose landing is repaired. */
import type { WorkflowHandle } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { backlogId } from '../../protocol/actors/backlog.js';
import { REPORT_SIGNAL } from '../../protocol/actors/item.js';
import { hostQueue } from '../../protocol/names.js';
import { STAGE_LISTS } from '../../protocol/run/stages.js';
import { type BacklogOf, openBacklog } from '../support/backlog-client.js';
import { stubAdmit } from '../support/stub-admit.js';
import { type StubHost, stubOpen } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { AT, HELD, handedOver, itemShape } from './backlog-shapes.js';
import { conflict, withLanded, withTerms } from './landing-shapes.js';
import type { Shape, Shapes } from './shape.js';

const AWAY = 'away';

/** Nobody works for its host: two are kept waiting, and go over with the rest. */
async function startAway(host: StubHost, project: string): Promise<[WorkflowHandle, BacklogOf]> {
  const backlog = await openBacklog(host.client, { project, repo: AT.repo, host: AWAY });
  for (const key of ['one', 'two']) await backlog.create([`task ${key}`], key);
  return [await handedOver(host, backlogId(project)), backlog];
}

/** The host comes back to what was carried over. */
const CONTINUED: Shape = {
  isEndless: true,
  async start(host, project) {
    const [, backlog] = await startAway(host, project);
    await withHost(host, async () => {
      for (const id of ['1', '2']) await backlog.reaches(id, 'parked');
    });
    for (const id of ['1', '2']) await backlog.tell(id, 'done');
    return host.client.workflow.getHandle(backlogId(project));
  },
};

async function withHost({ client }: StubHost, work: () => Promise<void>): Promise<void> {
  const connection = await NativeConnection.connect({ address: process.env['SLUICE_TEST_ADDRESS'] ?? '' });
  const { namespace } = client.options;
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue: hostQueue(AWAY),
    activities: { admit: stubAdmit() },
  });
  try {
    await worker.runUntil(work());
  } finally {
    await connection.close();
  }
}

/** Its one slot is taken while another task waits: after a minute it asks those at work how they stand. */
const FULL: Shape = {
  isEndless: true,
  activities: { ...HELD, admit: stubAdmit({ maxConcurrent: 1 }) },
  async start(host, project) {
    const backlog = await openBacklog(host.client, { project, ...AT });
    await backlog.create(['one', 'two'], 'a-key');
    await backlog.reaches('1', 'running');
    const handle = host.client.workflow.getHandle(backlogId(project));
    await until(
      async () =>
        (await handle.fetchHistory()).events?.some(
          (event) => event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName === REPORT_SIGNAL,
        ) === true,
    );
    for (const id of ['1', '2']) {
      await backlog.reaches(id, 'running');
      await backlog.tell(id, 'done');
      await backlog.reaches(id, 'closed');
    }
    return handle;
  },
};

export const BACKLOG_WAIT_SHAPES: Shapes = {
  'backlog-host-away': { isEndless: true, start: async (host, project) => (await startAway(host, project))[0] },
  'backlog-continued-with-waiting-creates': CONTINUED,
  'backlog-full': FULL,
  'item-repaired': itemShape({}, (backlog) => backlog.reaches('1', 'closed'), {
    ...withTerms({ canFix: true }),
    ...withLanded(conflict()),
    openRun: async (input) => stubOpen(input, STAGE_LISTS.full, { landing: 'auto' }),
  }),
};
