/**
 * A server that is gone for ten minutes in mid-turn. One second here stands for a minute: the outage takes 10 s, `limits.orphanGrace` is 1 s (60 s by
 * default), and `limits.heartbeat` the smallest that is allowed, 1 s. What cannot be shortened is the SDK's own: it polls without end, and gives up
 * a lost completion after 10 s, which is shorter than the outage here too; the next attempt then finds the record.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readLedger } from '../../activities/agent/scripted/ledger.js';
import { guardPid } from '../support/guard-pid.js';
import { writeHostSettings } from '../support/host-settings.js';
import { type OwnServer, openHostOn, openOwnServer } from '../support/own-server.js';
import { livingTurns, startsOf, type TracedRun, tracesOf } from '../support/run-traces.js';
import type { TestHost } from '../support/test-host.js';
import { fixtureWith, PLAIN_FIXTURE, PLAIN_VALIDATION } from '../support/test-repository.js';
import { UNDISTURBED } from '../support/undisturbed.js';
import { until } from '../support/until.js';

const OUTAGE_MS = 10_000;
const LIMIT_MS = 120_000;
const HELD = fixtureWith({ executing: { ...PLAIN_FIXTURE.stages.executing, waitFor: 'go' } });

let server: OwnServer;
let host: TestHost;

beforeEach(async () => {
  server = await openOwnServer();
  host = await openHostOn(server);
  writeHostSettings(host, 'limits:\n  orphanGrace: 1s\n');
}, LIMIT_MS);

afterEach(async () => {
  await host.close();
  await server.close();
}, LIMIT_MS);

describe('a server that is gone for ten minutes in mid-turn', () => {
  it(
    'costs nothing but time: one agent works on, one ends meanwhile and is not started again, and both runs end as if nothing had happened',
    async () => {
      await host.startWorker();
      const [ends, works] = [await heldRun(), await heldRun()];
      const guard = guardPid(host.home);

      await server.kill();
      ends.repository.release('go');
      await until(() => readLedger(ends.repository.ledgerPath).at(-1)?.event === 'END');
      await sleep(OUTAGE_MS);
      const [keptBy, living] = [guardPid(host.home), livingTurns(host.home)];
      await server.start();
      works.repository.release('go');
      await Promise.all([ends.run.result(), works.run.result()]);

      expect(keptBy).toBe(guard);
      expect(living).not.toEqual([]);
      expect(await tracesOf(ends)).toEqual(UNDISTURBED);
      expect(await tracesOf(works)).toEqual(UNDISTURBED);
    },
    LIMIT_MS,
  );

  it(
    'together with the worker ends the agent after `limits.orphanGrace`; once both are back the turn is taken again, and nothing is doubled',
    async () => {
      const worker = await host.startWorker();
      const held = await heldRun();

      await Promise.all([server.kill(), worker.kill()]);
      await until(() => livingTurns(host.home).length === 0);
      await expect(host.startWorker()).rejects.toThrow('Connection refused');
      held.repository.release('go');
      await server.start();
      await host.startWorker();

      const agents = UNDISTURBED.agents.flatMap((line) => (line === 'executing START' ? [line, line] : [line]));
      expect(await tracesOf(held)).toEqual({ ...UNDISTURBED, agents });
    },
    LIMIT_MS,
  );
});

async function heldRun(): Promise<TracedRun> {
  const repository = await host.repository({ fixture: HELD, config: `limits:\n  heartbeat: 1s\n${PLAIN_VALIDATION}` });
  const run = await host.startRun(repository);
  await until(() => startsOf(repository, 'executing') === 1);
  return { run, repository, home: host.home };
}
