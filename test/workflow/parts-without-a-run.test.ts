/** The parts of a run in the hands of a workflow that is none. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { MessageAnswer } from '../../protocol/messages/run-message.js';
import type { StrangerActivities, StrangerView } from '../support/stranger.js';
import { openStubHost, type StubHost } from '../support/stub-host.js';
import { until } from '../support/until.js';
import { startWorkflowWorker, type WorkflowWorker } from '../support/workflow-worker.js';

const QUEUE = 'strangers';
const LIMIT_MS = 300_000;

describe('the parts of a run, with an owner that is none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-stranger-'));
  const batches: JournalBatch<StrangerView>[] = [];
  let host: StubHost;
  let worker: WorkflowWorker;
  let handle: WorkflowHandle;

  beforeAll(async () => {
    const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const bundlePath = join(folder, 'bundle.js');
    await promisify(execFile)(process.execPath, [
      at('dist/worker/bundle.js'),
      at('test/support/stranger.ts'),
      bundlePath,
    ]);
    host = await openStubHost();
    const activities: StrangerActivities = {
      takeLines: async (journal) => {
        batches.push(journal);
        return { journalSeq: batches.flatMap(({ events }) => events).length };
      },
    };
    worker = await startWorkflowWorker(host.client, QUEUE, { bundlePath, activities });
    handle = await host.client.workflow.start('stranger', { workflowId: 'stranger-1', taskQueue: QUEUE });
  }, LIMIT_MS);
  afterAll(async () => {
    await worker.stop();
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (name: string, argument: unknown) =>
    handle.executeUpdate<MessageAnswer, [unknown]>(name, { args: [argument] });
  const standsAt = (gate: string) => until(async () => (await handle.query<StrangerView>('status')).gate === gate);

  it('take messages in an inbox, wait at gates, count the budget, repeat what failed in passing, and write lines with a view of its own', async () => {
    await standsAt('gate-1');
    expect(await send('say', { text: 'hello', requestId: 'once' })).toEqual({
      message: 'heard',
      status: 'asking',
      changed: true,
    });
    expect(await send('say', { text: 'hello again', requestId: 'once' })).toMatchObject({ changed: false });
    await handle.signal('shout', { text: 'hello' });
    await send('agree', { text: 'begin' });
    await standsAt('gate-2');
    await send('agree', { text: 'once more' });

    expect(await handle.result()).toEqual({
      state: 'done',
      heard: ['hello', 'begin', 'once more'],
      gate: null,
      attempts: 2,
    });
    const lines = batches.flatMap(({ events }) => events);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
    expect(lines.map(({ type }) => type)).toEqual([
      'approval.requested',
      'message.refused',
      'approval.approved',
      'turn.retried',
      'budget.limit',
      'approval.requested',
      'approval.approved',
    ]);
    expect(batches.at(-1)?.view).toEqual(await handle.result());
  });
});
