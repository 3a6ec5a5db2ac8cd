/** SIGKILL of the guard and of the server from outside, in mid-turn. The server is one of the test's own, on a database file. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { guardPid } from '../support/guard-pid.js';
import { heldIn, letGo, reached } from '../support/held-stage.js';
import { type OwnServer, openHostOn, openOwnServer } from '../support/own-server.js';
import { tracesOf } from '../support/run-traces.js';
import { openTestHost, type TestHost } from '../support/test-host.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const STAGES = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

/** What every run here must leave, whatever was killed. */
const UNDISTURBED = {
  outcome: 'merge_ready',
  error: null,
  agents: STAGES.flatMap((stage) => [`${stage} START`, `${stage} END`]),
  commits: 1,
  change: expect.stringMatching(/^\+changed$/m),
  living: [],
};

let host: TestHost;

describe('a guard that is killed in mid-turn', () => {
  afterEach(() => host.close(), LIMIT_MS);

  it(
    'costs nothing: the next guard adopts the agent, which was started once',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');
      const killed = guardPid(host.home);

      process.kill(killed, 'SIGKILL');
      await until(() => guardPid(host.home) !== killed);
      letGo(host);

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'together with the worker: the next pair goes on with the agent',
    async () => {
      host = await openTestHost();
      const repository = await host.repository(heldIn(host, 'executing'));
      const worker = await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      process.kill(guardPid(host.home), 'SIGKILL');
      await worker.kill();
      await host.startWorker();
      letGo(host);

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );
});

describe('a server that is killed in mid-turn', () => {
  let server: OwnServer;

  afterEach(async () => {
    await host.close();
    await server.close();
  }, LIMIT_MS);

  it(
    'and started again on its database: the run goes on, and the agent was started once',
    async () => {
      server = await openOwnServer();
      host = await openHostOn(server);
      const repository = await host.repository(heldIn(host, 'executing'));
      await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await server.kill();
      letGo(host);
      await server.start();

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'together with the worker: the run goes on, and the agent was started once',
    async () => {
      server = await openOwnServer();
      host = await openHostOn(server);
      const repository = await host.repository(heldIn(host, 'executing'));
      const worker = await host.startWorker();
      const run = await host.startRun(repository);
      await reached(host, repository, 'executing');

      await Promise.all([server.kill(), worker.kill()]);
      await server.start();
      await host.startWorker();
      letGo(host);

      expect(await tracesOf({ run, repository, home: host.home })).toMatchObject(UNDISTURBED);
    },
    LIMIT_MS,
  );
});
