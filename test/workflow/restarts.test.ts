/** People's messages and waits over the death of everything: worker, guard and a server of the test's own, all with SIGKILL. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { createSluice, type MessageToSend, type Sluice } from '../../client/sluice.js';
import type { RunStatus } from '../../protocol/run/lifecycle.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { guardPid } from '../support/guard-pid.js';
import { sluiceBeside } from '../support/host-cli.js';
import { type OwnServer, openHostOn, openOwnServer } from '../support/own-server.js';
import { startsOf } from '../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, PLAIN_VALIDATION, type TestRepository } from '../support/test-repository.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'] as const;
const HELD = ['planning', 'architecting', 'executing', 'reviewing'] as const;
const DAY_S = 86_400;

const GATE = `${PLAIN_VALIDATION}gates:\n  stages: [executing]\n`;

let host: TestHost;

async function startIn(repository: TestRepository, status: RunStatus): Promise<TestRun> {
  const run = await host.startRun(repository);
  await until(async () => (await run.view()).status === status);
  return run;
}

async function startPaused(): Promise<{ run: TestRun; repository: TestRepository }> {
  const planning = { ...PLAIN_FIXTURE.stages.planning, waitFor: 'go' };
  const repository = await host.repository({ fixture: fixtureWith({ planning }) });
  const run = await host.startRun(repository);
  await until(() => startsOf(repository, 'planning') === 1);
  await run.handle.executeUpdate('pause', { args: [{ by: 'ada' }] });
  repository.release('go');
  await until(async () => (await run.view()).status === 'paused');
  return { run, repository };
}

function connect(): Promise<Sluice> {
  // Without the failure converter of the workers, which jest cannot load by its path.
  return createSluice({ ...host, dataConverter: { payloadCodecs: [new RedactingCodec()] } });
}

/** Nothing is under way but the wait itself. */
async function quiet({ handle }: TestRun): Promise<void> {
  await until(async () => {
    const { raw } = await handle.describe();
    return (raw.pendingActivities ?? []).length === 0 && (raw.pendingWorkflowTask ?? null) === null;
  });
}

async function historyOf(handle: WorkflowHandle) {
  return (await handle.fetchHistory()).events ?? [];
}

const typesOf = (run: TestRun) => run.events().map((event) => event.type);
const count = (run: TestRun, type: string) => typesOf(run).filter((one) => one === type).length;

describe('waits and decisions on a server of their own', () => {
  let server: OwnServer;

  afterEach(async () => {
    await host.close();
    await server.close();
  }, LIMIT_MS);

  it(
    'gates with and without expiry and a paused run stay as they are over the death of worker, guard and server, and go on when told',
    async () => {
      server = await openOwnServer();
      host = await openHostOn(server);
      const worker = await host.startWorker();
      const repositories = [
        await host.repository({ config: GATE }),
        await host.repository({ config: `${GATE}  expire: 30d\n` }),
      ] as const;
      const plain = await startIn(repositories[0], 'waiting_for_approval');
      const expiring = await startIn(repositories[1], 'waiting_for_approval');
      const { run: paused, repository } = await startPaused();
      const runs = [plain, expiring, paused];
      await Promise.all(runs.map(quiet));
      const before = await Promise.all(runs.map(({ handle }) => historyOf(handle)));

      await worker.kill();
      process.kill(guardPid(host.home), 'SIGKILL');
      await server.kill();
      await server.start();
      await host.startWorker();
      const views = await Promise.all(runs.map((run) => run.view()));
      const after = await Promise.all(runs.map(({ handle }) => historyOf(handle)));

      expect(views.map(({ status }) => status)).toEqual(['waiting_for_approval', 'waiting_for_approval', 'paused']);
      expect(after).toEqual(before);
      const timers = after.map((events) =>
        events.flatMap((event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds ?? []),
      );
      expect(timers.map((seconds) => seconds.map(Number))).toEqual([[], [30 * DAY_S], []]);

      await plain.handle.executeUpdate('approve', { args: [{ by: 'ada' }] });
      await expiring.handle.signal('approve');
      await paused.handle.signal('resume');
      expect((await Promise.all(runs.map((run) => run.result()))).map(({ outcome }) => outcome)).toEqual(
        runs.map(() => 'merge_ready'),
      );
      for (const used of [...repositories, repository])
        expect(STAGES.map((stage) => startsOf(used, stage))).toEqual([1, 1, 1, 1, 1]);
    },
    LIMIT_MS,
  );

  it(
    'what is sent while no worker runs is queued and applied once; while no server runs nothing is sent, and the person is told',
    async () => {
      server = await openOwnServer();
      host = await openHostOn(server);
      const worker = await host.startWorker();
      const repository = await host.repository({ config: GATE });
      const gated = await startIn(repository, 'waiting_for_approval');
      const later = await startIn(await host.repository({ config: GATE }), 'waiting_for_approval');
      const { run: paused } = await startPaused();
      await worker.kill();
      const sluice = await connect();
      const queued: [TestRun, MessageToSend][] = [
        [gated, { name: 'approve', argument: { by: 'ada', note: 'fine' } }],
        [gated, { name: 'steer', argument: { text: 'use tabs', by: 'ada' } }],
        [paused, { name: 'resume', argument: { by: 'ada' } }],
        [paused, { name: 'rename', argument: { title: 'another title' } }],
      ];

      const sent = await Promise.all(queued.map(([run, message]) => sluice.send(run.runId, message)));
      // The server may still hold the Updates too, beside the Signals that took their place.
      await host.startWorker();
      for (const run of [gated, paused]) expect(await run.result()).toMatchObject({ outcome: 'merge_ready' });
      await sluice.close();
      await server.kill();
      const unsent = await sluiceBeside(host, ['approve', later.runId]);
      await server.start();
      const back = await connect();
      const again = await back.send(later.runId, { name: 'approve', argument: {} });
      await back.close();

      expect(sent.map(({ kind }) => kind)).toEqual(['queued', 'queued', 'queued', 'queued']);
      expect(unsent).toMatchObject({ code: 1, stdout: '' });
      expect(unsent.stderr).toMatch(new RegExp(`the Temporal server at ${host.address} .*does not answer`));
      expect(again).toMatchObject({ kind: 'accepted' });
      expect(await later.result()).toMatchObject({ outcome: 'merge_ready' });
      expect([gated, later].map((run) => count(run, 'approval.approved'))).toEqual([1, 1]);
      expect([count(gated, 'run.steered'), count(paused, 'run.resumed'), count(paused, 'run.renamed')]).toEqual([
        1, 1, 1,
      ]);
      expect([gated, later, paused].map((run) => count(run, 'message.refused'))).toEqual([0, 0, 0]);
      expect(startsOf(repository, 'executing')).toBe(1);
      expect((await paused.view()).title).toBe('another title');
    },
    LIMIT_MS,
  );
});

describe('pauses and steers at random moments of a turn', () => {
  const RUNS = 5;
  const MAX_WAIT_MS = 300;

  afterEach(() => host.close(), LIMIT_MS);

  /** The same seed draws the same moments. Source: mulberry32. */
  function drawing(seed: number): () => number {
    let state = seed;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  const noteFor = (run: TestRun, stage: string) => `note for ${run.runId} in ${stage}`;

  /** Both are sent while the stage's turn is under way, each at a moment of its own; only then may the agent end. */
  async function disturb(
    run: TestRun,
    repository: TestRepository,
    moments: readonly (readonly [number, number])[],
  ): Promise<void> {
    for (const [index, stage] of HELD.entries()) {
      await until(async () => (await run.view()).stage === stage);
      const [pauseAt = 0, steerAt = 0] = moments[index] ?? [];
      await Promise.all([
        sleep(pauseAt).then(() => run.handle.executeUpdate('pause', { args: [{}] })),
        sleep(steerAt).then(() => run.handle.executeUpdate('steer', { args: [{ text: noteFor(run, stage) }] })),
      ]);
      repository.release(`go-${stage}`);
      await until(async () => (await run.view()).status === 'paused');
      await run.handle.executeUpdate('resume', { args: [{}] });
    }
  }

  /** Of the prompts, in the order of the turns, which hold the text. */
  function turnsToldOf(run: TestRun, text: string): string[] {
    const turns = join(run.runDir, 'turns');
    return readdirSync(turns)
      .filter((name) => readFileSync(join(turns, name, 'prompt.md'), 'utf8').includes(text))
      .map((name) => name.replace(/^\d+-/, ''));
  }

  it(
    'are honoured 20 of 20 times each: at the end of that very turn, and in the next prompt alone',
    async () => {
      const seed = Number(process.env['SLUICE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
      process.stderr.write(`SLUICE_TEST_SEED=${seed}\n`);
      const draw = drawing(seed);
      const moments = Array.from({ length: RUNS }, () =>
        HELD.map(() => [draw() * MAX_WAIT_MS, draw() * MAX_WAIT_MS] as const),
      );
      host = await openTestHost();
      await host.startWorker();
      const held = HELD.map((stage) => [stage, { ...PLAIN_FIXTURE.stages[stage], waitFor: `go-${stage}` }]);

      const runs = await Promise.all(
        moments.map(async (own) => {
          const repository = await host.repository({ fixture: fixtureWith(Object.fromEntries(held)) });
          const run = await host.startRun(repository);
          await disturb(run, repository, own);
          await run.result();
          return run;
        }),
      );

      const pausedAt = runs.map((run) =>
        run.events().flatMap(({ type, data }) => (type === 'run.paused' ? [data['at']] : [])),
      );
      const toldIn = runs.map((run) => HELD.map((stage) => turnsToldOf(run, noteFor(run, stage))));
      expect({ seed, pausedAt }).toEqual({ seed, pausedAt: runs.map(() => [...HELD]) });
      expect({ seed, toldIn }).toEqual({
        seed,
        toldIn: runs.map(() => [['architecting'], ['executing'], ['reviewing'], ['verifying']]),
      });
    },
    LIMIT_MS,
  );
});
