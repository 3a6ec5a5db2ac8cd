import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import type { RunCase } from '../../support/ended-run.js';
import { guardPid } from '../../support/guard-pid.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { openedOnce } from '../../support/opened.js';
import { type OwnServer, openHostOn, openOwnServer } from '../../support/own-server.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const DAYS_30_S = 30 * 24 * 60 * 60;
const SHORT = 'stageList: [planning, executing]\n';

describe('a gate over the death of every process', () => {
  let server: OwnServer;
  let host: TestHost;
  let plain: AttendedRun;
  let expiring: AttendedRun;
  const killed: (ChildProcess['pid'] | undefined)[] = [];

  beforeAll(async () => {
    server = await openOwnServer();
    host = await openHostOn(server);
    const worker = await host.startWorker();
    [plain, expiring] = await Promise.all([
      attendedRun(host, { config: `gates: [executing]\n${SHORT}` }),
      attendedRun(host, { config: `gates: {stages: [executing], expire: 30d}\n${SHORT}` }),
    ]);
    await Promise.all([plain.gate(), expiring.gate()]);
    await Promise.all([plain.historyLength(), expiring.historyLength()]);
    const guard = guardPid(host.home);
    await Promise.all([worker.kill(), server.kill()]);
    killed.push(worker.pid, endNow(guard));
    await server.start();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(async () => {
    await host.close();
    await server.close();
  }, LIMIT_MS);

  it(
    'V-40, V-49: a plain gate has no timer, one with expire 30d a recorded timer of 30 days, and both stay open',
    async () => {
      expect(killed.every((pid) => pid !== undefined && pid > 0)).toBe(true);
      expect(await plain.run.view()).toMatchObject({
        status: 'waiting_for_approval',
        pendingApprovalId: 'gate-1',
        waiting: { until: null },
      });
      expect(await expiring.run.view()).toMatchObject({ status: 'waiting_for_approval', pendingApprovalId: 'gate-1' });
      expect(await plain.timers()).toEqual([]);
      expect(await expiring.timers()).toEqual([DAYS_30_S]);
      const { createdAt, expiresAt } = await expiring.gate();
      expect(Date.parse(expiresAt ?? '') - Date.parse(createdAt)).toBe(DAYS_30_S * 1000);
      expect((await plain.gate()).expiresAt).toBeNull();
    },
    LIMIT_MS,
  );

  it(
    'V-40: it is decided with `sluice approvals decide`, and the run goes on without repeating a turn',
    async () => {
      for (const person of [plain, expiring]) {
        const told = await sluiceBeside(host, ['approvals', 'decide', person.run.runId, '--approve']);

        expect(told).toMatchObject({ code: 0, stderr: '' });
        expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
        expect(person.turns()).toEqual(['planning', 'executing']);
      }
    },
    LIMIT_MS,
  );
});

describe('a decision while no worker runs', () => {
  const host = openedOnce(openTestHost);

  it(
    'V-50: is kept by the server and applied when a worker returns',
    async () => {
      const worker = await host.startWorker();
      const person = await attendedRun(host, { config: `gates: [executing]\n${SHORT}` });
      await person.gate();
      await worker.kill();
      await person.run.handle.signal('approve', { by: 'ada', note: 'while you were away' });
      expect(person.turns()).toEqual(['planning']);
      await host.startWorker();

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(person.turns()).toEqual(['planning', 'executing']);
      expect(JSON.parse(person.run.read('approvals.json'))).toMatchObject([
        { id: 'gate-1', status: 'approved', resolvedBy: 'ada', decisionNote: 'while you were away' },
      ]);
    },
    LIMIT_MS,
  );
});

describe('the time of a gate', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  const EXPIRED = { outcome: 'blocked', blockedReason: 'approval_expired' };
  const approvals = ({ run }: AttendedRun) =>
    run.events().flatMap(({ type }) => (type.startsWith('approval.') ? [type] : []));
  const nobody = (config: string): RunCase => ({ config: `${config}${SHORT}`, input: { attended: false } });

  it(
    'V-49: a run that nobody attends expires at once, or after the time that the policy gives',
    async () => {
      const [atOnce, later, seed] = await Promise.all([
        attendedRun(host, nobody('gates: [executing]\n')),
        attendedRun(host, nobody('gates: {stages: [executing], unattendedExpire: 1100ms, expire: 30d}\n')),
        attendedRun(
          host,
          nobody('policies: {requireApprovalAtStages: [executing], unattendedApprovalTimeoutMs: 1200}\n'),
        ),
      ]);

      for (const person of [atOnce, later, seed]) {
        expect(await person.result()).toMatchObject(EXPIRED);
        expect(person.turns()).toEqual(['planning']);
        expect(approvals(person)).toEqual(['approval.requested', 'approval.expired']);
        expect(person.run.events().at(-1)).toMatchObject({ type: 'run.completed' });
      }
      const asked = [atOnce, later, seed].map(async (person) => person.timers());
      expect(await Promise.all(asked)).toEqual([[], [1], [1]]);
    },
    LIMIT_MS,
  );

  it(
    'V-49: reminder, escalation and expiry of an attended run are durable timers, fired in their order, and people are told',
    async () => {
      const sink = join(host.folder, 'told.jsonl');
      const notify = `notify:\n  - command: ["sh", "-c", "cat >> ${sink}; echo >> ${sink}"]\n`;
      const gates = 'gates: {stages: [executing], remind: 1s, escalate: 1500ms, expire: 3s}\n';
      const person = await attendedRun(host, { config: `${gates}${SHORT}${notify}` });

      expect(await person.result()).toMatchObject(EXPIRED);
      expect(approvals(person)).toEqual([
        'approval.requested',
        'approval.reminded',
        'approval.escalated',
        'approval.reminded',
        'approval.expired',
      ]);
      const told = () =>
        readFileSync(sink, 'utf8')
          .split(/\n+/)
          .slice(0, -1)
          .map((line) => JSON.parse(line));
      await until(() => told().length >= 5);
      // Numbered as they were sent; two that fall due together have one time.
      const numberOf = ({ id }: { id: string }) => Number(id.split(':')[1]);
      expect(told().sort((a, b) => numberOf(a) - numberOf(b))).toMatchObject([
        { kind: 'gate_opened', gate: 'gate-1' },
        { kind: 'gate_reminder', gate: 'gate-1' },
        { kind: 'gate_escalated', gate: 'gate-1' },
        { kind: 'gate_reminder', gate: 'gate-1' },
        { kind: 'run_closed', blockedReason: 'approval_expired' },
      ]);
      // A clock that rings late finds the next time past and needs no timer for it.
      expect((await person.timers())[0]).toBe(1);
    },
    LIMIT_MS,
  );

  it.each([
    ['remind: 1h', 3_600],
    ['escalate: 2h', 7_200],
    ['expire: 30d', DAYS_30_S],
    ['remind: 3h, escalate: 2h, expire: 1h', 3_600],
  ])(
    'V-49: %s is one recorded timer, and a decision in time stops it',
    async (times, seconds) => {
      const person = await attendedRun(host, { config: `gates: {stages: [executing], ${times}}\n${SHORT}` });
      await person.approve(1);

      expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
      expect(await person.timers()).toEqual([seconds]);
      expect(approvals(person)).toEqual(['approval.requested', 'approval.approved']);
    },
    LIMIT_MS,
  );
});

function endNow(pid: number): number {
  process.kill(pid, 'SIGKILL');
  return pid;
}
