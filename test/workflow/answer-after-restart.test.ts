/**
 * Tasks whose last workflow task decided nothing, and the answer of a person that comes to a worker which was started after it: the SDK shows that worker
 * both at once, the answer first, and every worker after it one after the other.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { ITEM_WORKFLOW, type ItemView, itemWorkflowId } from '../../protocol/actors/item.js';
import { noFailpoint } from '../../protocol/failpoints.js';
import { STATUS_QUERY } from '../../protocol/names.js';
import { createControlActivities } from '../../worker/control-activities.js';
import { anItemInput } from '../support/an-item.js';
import { replayErrors } from '../support/replay-errors.js';
import { askedOf, stubAsk } from '../support/stub-ask.js';
import { BUNDLE_PATH, openStubHost, type StubHost } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.js';

const QUEUE = 'answered-after-a-restart';
const IDS = Array.from({ length: 6 }, (_none, index) => String(index + 1));
const LIMIT_MS = 120_000;

describe('answers to tasks that a worker just loaded', () => {
  let host: StubHost;
  let after: WorkflowWorker;
  let items: readonly WorkflowHandle[];

  beforeAll(async () => {
    host = await openStubHost({
      runAsk: async (input) =>
        stubAsk(input, input.ask === 'classify' && input.pass === 0 ? { questions: ['tabs or spaces?'] } : {}),
    });
    const served = { bundlePath: BUNDLE_PATH, activities: createControlActivities(host.client.workflow, noFailpoint) };
    const before = await startWorkflowWorker(host.client, QUEUE, served);
    items = await Promise.all(IDS.map((id) => startItem(host, id)));
    await until(async () => (await Promise.all(items.map(isAtRest))).every(Boolean));
    await before.stop();
    after = await startWorkflowWorker(host.client, QUEUE, served);
    await Promise.all(
      items.map((item) => item.executeUpdate('answer', { args: [{ by: 'ann', round: 1, answers: ['tabs'] }] })),
    );
    await until(async () => (await Promise.all(items.map(stateOf))).every((state) => state === 'gated'));
  }, LIMIT_MS);

  afterAll(async () => {
    await after.stop();
    await host.close();
  }, LIMIT_MS);

  it('leave histories that every worker can load', async () => {
    expect(await replayErrors(items)).toEqual([]);
  });
});

function startItem({ client }: StubHost, id: string): Promise<WorkflowHandle> {
  const input = anItemInput({ id, host: 'stub', admission: askedOf() });
  return client.workflow.start(ITEM_WORKFLOW, { workflowId: itemWorkflowId(input), taskQueue: QUEUE, args: [input] });
}

async function stateOf(item: WorkflowHandle): Promise<string> {
  return (await item.query<ItemView>(STATUS_QUERY)).state;
}

/** What it asks is written and told; that it was is the last thing that it heard, and decided nothing on. */
async function isAtRest(item: WorkflowHandle): Promise<boolean> {
  if ((await stateOf(item)) !== 'clarifying') return false;
  const { raw } = await item.describe();
  if ((raw.pendingActivities ?? []).length > 0) return false;
  const { events } = await item.fetchHistory();
  return events?.at(-1)?.workflowTaskCompletedEventAttributes != null;
}
