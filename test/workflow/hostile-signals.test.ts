/** Signals as Temporal's own tools, or a program with another converter, can send them: none may stop a run, however it is written and however many come. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { MAX_REFUSED_LINES, MAX_WAITING_NOTES } from '../../protocol/limits.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { type AttendedRun, attendedRun } from '../support/attended-run.js';
import { eventsOf, untilStatus, viewOf } from '../support/run-steps.js';
import { BUNDLE_PATH, GATES, openStubHost, type StubHost, stubOpen } from '../support/stub-host.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;

const bytes = (text: string) => new TextEncoder().encode(text);
const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: bytes(encoding) },
  data: bytes(data),
});

const UNREADABLE: Readonly<Record<string, Payload>> = {
  'of an encoding that nobody knows': payload('binary/encrypted', 'x'),
  'of JSON that is none': payload('json/plain', '{"by":'),
  'without metadata': { data: bytes('{}') },
  'of JSON without data': { metadata: { encoding: bytes('json/plain') } },
};
const MESSAGES = ['approve', 'pause', 'steer', 'rename', 'abort', 'no-such-message'];

/** As the server takes it, past every converter of ours. */
function signalRaw(
  client: Client,
  { workflowId }: WorkflowHandle,
  signalName: string,
  input: readonly Payload[],
): Promise<unknown> {
  const { namespace } = client.options;
  return client.workflowService.signalWorkflowExecution({
    namespace,
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: [...input] },
    identity: 'test',
  });
}

describe('a signal that the SDK refuses to read', () => {
  let host: StubHost;
  let handle: WorkflowHandle;
  let view: RunView;
  let refused: readonly unknown[];

  beforeAll(async () => {
    const gates = { ...GATES, stages: ['executing'] as const };
    host = await openStubHost({ openRun: async (input) => stubOpen(input, undefined, { gates }) });
    handle = await host.start({ task: 'change a.txt', repo: '/r', host: 'stub', attended: true });
    await untilStatus(handle, 'waiting_for_approval');
    for (const input of Object.values(UNREADABLE))
      for (const name of MESSAGES) await signalRaw(host.client, handle, name, [input]);
    for (const name of ['__temporal_x', '__temporal_workflow_stream_publish', '__stack_trace'])
      await signalRaw(host.client, handle, name, []);
    await signalRaw(host.client, handle, 'approve', [payload('json/plain', '{}'), payload('binary/encrypted', 'x')]);
    await handle.executeUpdate('rename', { args: [{ title: 'still alive' }] });
    view = await viewOf(handle);
    await handle.executeUpdate('approve', { args: [{}] });
    await handle.result();
    refused = eventsOf(host).flatMap(({ type, data }) => (type === 'message.refused' ? [data['name']] : []));
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it('leaves the run alive at its gate: it neither approves nor aborts, and the next message is taken', async () => {
    expect(view).toMatchObject({ status: 'waiting_for_approval', title: 'still alive' });
    expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
  });

  it('leaves a line in the journal, with its name', () => {
    const names = Object.values(UNREADABLE).flatMap(() => MESSAGES);

    expect(refused).toEqual([
      ...names,
      '"__temporal_x"',
      '"__temporal_workflow_stream_publish"',
      '__stack_trace',
      'approve',
    ]);
  });

  it('replays as it went', async () => {
    const history = await handle.fetchHistory();

    await expect(
      Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, history, handle.workflowId),
    ).resolves.toBeUndefined();
  });
});

describe('thousands of signals that are stored while no worker runs', () => {
  const SIGNALS = 2_000;
  const AT_ONCE = 50;
  let host: TestHost;
  let person: AttendedRun;

  beforeAll(async () => {
    host = await openTestHost();
    const worker = await host.startWorker();
    person = await attendedRun(host, { config: 'stageList: [executing]\ngates: [executing]\n' });
    await person.gate();
    await person.historyLength();
    await worker.kill();
    const numbers = Array.from({ length: SIGNALS }, (_, n) => n);
    for (let from = 0; from < SIGNALS; from += AT_ONCE) {
      await Promise.all(
        numbers.slice(from, from + AT_ONCE).map((n) => person.run.handle.signal('steer', { text: `note ${n}` })),
      );
    }
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it(
    'are all read: as many notes are kept as may wait, the others are refused, and the run goes on and answers an abort',
    async () => {
      await until(async () => (await person.run.view()).status === 'waiting_for_approval', LIMIT_MS);
      const answer = await person.send('abort');
      const { outcome } = await person.result();
      const notes = person.run.events().filter(({ type }) => type === 'run.steered');

      expect(answer).toMatchObject({ changed: true });
      expect(outcome).toBe('aborted');
      expect(notes).toHaveLength(MAX_WAITING_NOTES);
      expect(person.run.events().filter(({ type }) => type === 'message.refused')).toHaveLength(MAX_REFUSED_LINES);
      expect(person.turns()).toEqual([]);
    },
    LIMIT_MS,
  );
});
