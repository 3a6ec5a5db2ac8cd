/** What the guard tells of a command's end beside its exit code: how long it ran, whatever was done to the clock, and whether its output had room. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { describe, expect } from '@jest/globals';
import type { CommandEnd, ExitRecord } from '../../../activities/process/contract.js';
import { fakeClock, HAS_FAKE_CLOCK, NO_FAKE_CLOCK } from '../../support/fake-clock.js';
import { itWhere } from '../../support/it-where.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { canMount, smallDisk } from '../../support/small-disk.js';
import { until } from '../../support/until.js';
import { aGuardedHome, copyGuard, hooks } from './guarded-home.js';

const HOUR_S = 3600;
const HELD = 'echo started >> started; while [ ! -e go ]; do sleep 0.02; done';

const clockTest = itWhere(HAS_FAKE_CLOCK, NO_FAKE_CLOCK);
const diskTest = itWhere(canMount(), 'no right to mount a tmpfs');

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

describe('a clock that is set by an hour', () => {
  clockTest.each([HOUR_S, -HOUR_S])(
    '(%i s) while a command runs changes neither its time limit nor how long it is said to have run',
    async (offset) => {
      const clock = fakeClock(host.path('clock'));
      await startGuard(clock.env);
      const processes = await host.connect();
      const run = processes.run(host.aCommand(HELD), hooks());
      await until(() => host.text('started') !== '');

      clock.set(offset);
      writeFileSync(host.path('go'), '');
      const exit = exitOf(await run);

      expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
      expect(Math.abs(Date.parse(exit.endedAt) - Date.parse(exit.startedAt))).toBeGreaterThan((HOUR_S / 2) * 1000);
      expect(exit.ranMs).toBeLessThan((HOUR_S / 2) * 1000);
    },
  );

  clockTest('between one guard and the next ends no command at its time limit', async () => {
    const clock = fakeClock(host.path('clock'));
    clock.set(-HOUR_S);
    const first = await startGuard(clock.env);
    const run = (await host.connect()).run(host.aCommand(HELD), hooks());
    await until(() => host.text('started') !== '');

    first.kill('SIGKILL');
    await once(first, 'exit');
    await until(() => /adopted a running command/.test(host.text('home/guard.log')));
    writeFileSync(host.path('go'), '');

    expect(exitOf(await run)).toMatchObject({ reason: 'exited', exitCode: 0 });
  });
});

describe('a disk that is full at the end of a command', () => {
  diskTest.each([true, false])('is told with the end, and only then (full: %s)', async (isFull) => {
    mkdirSync(host.path('small'));
    const disk = smallDisk(host.path('small'), { size: '1m' });
    try {
      const dir = host.path('small/turn');
      mkdirSync(dir);
      const processes = await host.connect();
      const run = processes.run(host.aCommand(HELD, { dir }), hooks());
      await until(() => host.text('started') !== '');
      if (isFull) disk.fillBut(0);
      writeFileSync(host.path('go'), '');

      expect(exitOf(await run).diskFull).toBe(isFull);
    } finally {
      disk.unmount();
    }
  });
});

async function startGuard(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const options = { home: host.home, orphanGraceMs: 60_000, durability: 'process', idleGraceMs: 1000 };
  const child = spawn(process.execPath, [guard.main, JSON.stringify(options)], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

function exitOf(end: CommandEnd): ExitRecord {
  if (end.kind !== 'ended') throw new Error(`it ended as ${end.kind}`);
  return end.exit;
}
