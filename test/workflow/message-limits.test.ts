/** What a run does where its server takes no more: of Updates, of Signals, of history. Limits of a count are those of a server of its own, lowered. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { createSluice, type MessageToSend, type Sluice } from '../../client/sluice.js';
import { FULL_HISTORY, LAST_HISTORY } from '../../protocol/limits.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { type OwnServer, openOwnServer } from '../support/own-server.js';
import { typesOf, untilStatus, untilView, viewOf } from '../support/run-steps.js';
import {
  BUNDLE_PATH,
  GATES,
  openStubWorkers,
  type StubHost,
  type StubWorkers,
  stubOpen,
  stubTurn,
} from '../support/stub-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const UPDATES = 20;
const SIGNALS = 50;
const INPUT = { task: 'do it', repo: '/repository', attended: true };
const GATED = { ...GATES, stages: ['executing'] as const };

/** A turn that works until it is released or ended, as a real one. */
async function workUntil(released: Promise<void>): Promise<void> {
  const { cancelled, heartbeat } = Context.current();
  const beat = setInterval(() => Context.current().heartbeat(), 100);
  heartbeat();
  try {
    await Promise.race([released, cancelled]);
  } finally {
    clearInterval(beat);
  }
}

describe('a run whose server counts no more messages', () => {
  let server: OwnServer;
  let workers: StubWorkers;
  let sluice: Sluice;
  let host: StubHost;
  const shared = process.env['SLUICE_TEST_ADDRESS'];

  beforeAll(async () => {
    server = await openOwnServer([
      `history.maxTotalUpdates=${UPDATES}`,
      `history.maximumSignalsPerExecution=${SIGNALS}`,
    ]);
    process.env['SLUICE_TEST_ADDRESS'] = server.address;
    workers = await openStubWorkers();
    process.env['SLUICE_TEST_ADDRESS'] = shared;
    host = workers.open({ openRun: async (input) => stubOpen(input, undefined, { gates: GATED }) });
    const { namespace } = host.client.options;
    // Without the failure converter, which jest cannot load.
    sluice = await createSluice({
      address: server.address,
      namespace,
      dataConverter: { payloadCodecs: [new RedactingCodec()] },
    });
  }, LIMIT_MS);
  afterAll(async () => {
    await sluice?.close();
    await workers?.close();
    await server?.close();
  }, LIMIT_MS);

  async function startAtGate(): Promise<WorkflowHandle> {
    const handle = await host.start(INPUT);
    await untilStatus(handle, 'waiting_for_approval');
    return handle;
  }

  const rename = (title: string): MessageToSend => ({ name: 'rename', argument: { title, by: 'ada' } });

  async function useUpdatesUp({ workflowId }: WorkflowHandle): Promise<void> {
    for (let n = 0; n < UPDATES; n += 1)
      expect(await sluice.send(workflowId, rename(`title ${n}`))).toMatchObject({ kind: 'accepted' });
  }

  it(
    'takes every message as a Signal once its Updates are used up, and refused ones never counted',
    async () => {
      const handle = await startAtGate();
      for (let n = 0; n < UPDATES; n += 1)
        expect(await sluice.send(handle.workflowId, { name: 'resume', argument: {} })).toMatchObject({
          kind: 'refused',
        });
      await useUpdatesUp(handle);

      expect(await sluice.send(handle.workflowId, rename('after the last'))).toMatchObject({ kind: 'queued' });
      await untilView(handle, ({ title }) => title === 'after the last');
      expect(await sluice.send(handle.workflowId, { name: 'approve', argument: { gate: 'gate-1' } })).toMatchObject({
        kind: 'queued',
      });

      expect(await handle.result()).toMatchObject({ outcome: 'merge_ready' });
    },
    LIMIT_MS,
  );

  it('never hears of a message that is larger than its server takes', async () => {
    const handle = await startAtGate();

    await expect(handle.signal('steer', { text: 'x'.repeat(2_200_000) })).rejects.toThrow('Failed to signal');

    expect((await handle.fetchHistory()).events?.some((event) => event.workflowExecutionSignaledEventAttributes)).toBe(
      false,
    );
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
  });

  it(
    'is ended by an abort when its Signals are used up too; anything else is said not to be kept',
    async () => {
      const handle = await startAtGate();
      await useUpdatesUp(handle);
      for (let n = 0; n < SIGNALS; n += 1) await handle.signal('resume');

      const words = 'exceeded workflow execution limit for signal events';
      expect(await sluice.send(handle.workflowId, rename('one more'))).toEqual({ kind: 'not_kept', why: words });
      expect((await viewOf(handle)).title).toBe(`title ${UPDATES - 1}`);
      expect(await sluice.send(handle.workflowId, { name: 'abort', argument: { by: 'ada' } })).toEqual({
        kind: 'cancelled',
      });

      expect(await handle.result()).toMatchObject({ outcome: 'aborted' });
    },
    LIMIT_MS,
  );
});

describe('a run whose history is full', () => {
  let workers: StubWorkers;
  let host: StubHost;
  let release: () => void = () => {};

  beforeAll(async () => {
    workers = await openStubWorkers();
  });
  afterEach(() => release());
  afterAll(() => workers.close());

  function open(gates: typeof GATED | undefined): void {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    host = workers.open({
      openRun: async (input) => stubOpen(input, undefined, gates === undefined ? {} : { gates }),
      runTurn: async (input) => {
        if (gates === undefined && input.stage === 'planning') await workUntil(held);
        return stubTurn(input);
      },
    });
  }

  const LARGE = {
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(JSON.stringify({ text: 'x'.repeat(400_000) })),
  };

  const sizeOf = async (handle: WorkflowHandle) => (await handle.describe()).historySize ?? 0;
  const isOpen = async (handle: WorkflowHandle) => (await handle.describe()).status.name === 'RUNNING';

  /** Large Signals, each heard before the next, until the history has so many bytes or the run has ended. */
  async function fill(
    handle: WorkflowHandle,
    bytes: number,
    untilHeard = async () => void (await viewOf(handle).catch(() => null)),
  ): Promise<void> {
    const { client } = host;
    const { workflowId } = handle;
    const request = {
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      signalName: 'steer',
      identity: 'test',
    };
    while ((await isOpen(handle)) && (await sizeOf(handle)) < bytes) {
      await client.workflowService
        .signalWorkflowExecution({ ...request, input: { payloads: [LARGE] } })
        .catch(() => null);
      await untilHeard();
    }
  }

  async function replays(handle: WorkflowHandle): Promise<void> {
    const history = await handle.fetchHistory();
    await expect(
      Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE_PATH } }, history, handle.workflowId),
    ).resolves.toBeUndefined();
  }

  const FULL = {
    outcome: 'blocked',
    blockedReason: 'history_full',
    report: '/runs/report.md',
    branch: expect.stringContaining('sluice/'),
  };

  async function startPaused(): Promise<WorkflowHandle> {
    open(undefined);
    const handle = await host.start(INPUT);
    await untilView(handle, ({ stage, agent }) => stage === 'planning' && agent !== null);
    await handle.executeUpdate('pause', { args: [{}] });
    release();
    await untilStatus(handle, 'paused');
    return handle;
  }

  async function endsUnresumed(handle: WorkflowHandle): Promise<void> {
    expect(await handle.result()).toMatchObject(FULL);
    expect(typesOf(host)).not.toContain('run.resumed');
    await replays(handle);
  }

  it(
    'ends where it waits at a gate, long before the server would terminate it, and can be replayed',
    async () => {
      open(GATED);
      const handle = await host.start(INPUT);
      await untilStatus(handle, 'waiting_for_approval');
      await fill(handle, LAST_HISTORY.bytes);

      expect(await handle.result()).toMatchObject(FULL);
      expect(await sizeOf(handle)).toBeLessThan(LAST_HISTORY.bytes);
      expect(typesOf(host)).toContain('approval.expired');
      await replays(handle);
    },
    LIMIT_MS,
  );

  it(
    'ends where it is paused',
    async () => {
      const handle = await startPaused();
      await fill(handle, LAST_HISTORY.bytes);

      await endsUnresumed(handle);
    },
    LIMIT_MS,
  );

  it(
    'ends where it is paused by a history that grew beyond all bounds while nobody ran it',
    async () => {
      const handle = await startPaused();
      await workers.whileAway(() => fill(handle, LAST_HISTORY.bytes, async () => {}));

      await endsUnresumed(handle);
    },
    LIMIT_MS,
  );

  it(
    'ends at the next boundary when its turn is done, and takes nothing but an abort until then',
    async () => {
      open(undefined);
      const handle = await host.start(INPUT);
      await untilView(handle, ({ stage, agent }) => stage === 'planning' && agent !== null);
      await fill(handle, FULL_HISTORY.bytes);
      const refused = { cause: { message: "the run's history is full, so the run ends at the next boundary" } };
      await until(async () => {
        const error = await handle.executeUpdate('pause', { args: [{}] }).catch((err: unknown) => err);
        if (error instanceof Error) expect(error).toMatchObject(refused);
        // It may be full only now.
        else await handle.executeUpdate('resume', { args: [{}] }).catch(() => undefined);
        return error instanceof Error;
      });
      release();

      expect(await handle.result()).toMatchObject(FULL);
      expect(host.turns.map(({ stage }) => stage)).toEqual(['planning']);
      await replays(handle);
    },
    LIMIT_MS,
  );

  it(
    'ends in the middle of a turn that lasts until the server would terminate it',
    async () => {
      open(undefined);
      const handle = await host.start(INPUT);
      await untilView(handle, ({ stage, agent }) => stage === 'planning' && agent !== null);
      await fill(handle, LAST_HISTORY.bytes + 2_000_000);

      expect(await handle.result()).toMatchObject(FULL);
      await replays(handle);
    },
    LIMIT_MS,
  );
});
