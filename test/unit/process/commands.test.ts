/** How commands end under a real guard: by themselves, by a limit, by a person, and with everything they started. */

import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CommandEnd,
  DetachedError,
  type ExitRecord,
  type Processes,
} from '../../../activities/process/contract.js';
import { subToken } from '../../../protocol/run/place.js';
import { until } from '../../support/until.js';
import { aGuardedHome, type CopiedGuard, copyGuard, type GuardedHome, hooks, lives } from './guarded-home.js';

let guard: CopiedGuard;
let host: GuardedHome;
let processes: Processes;

beforeAll(() => {
  guard = copyGuard();
}, 300_000);
afterAll(() => guard.close());
beforeEach(async () => {
  host = aGuardedHome(guard);
  processes = await host.connect();
});
afterEach(() => host.close());

const limits = { timeoutMs: 60_000, stallMs: null, killGraceMs: 200, outputBytes: 1_000_000 };
/** For who ends at TERM, however busy the machine is: such a grace is not waited out. */
const PATIENT = { ...limits, killGraceMs: 10_000 };

function exitOf(end: CommandEnd): ExitRecord {
  if (end.kind !== 'ended') {
    throw new Error(`ended as ${end.kind}`);
  }
  return end.exit;
}

const pidIn = (name: string) => Number(host.text(name));

describe('a command', () => {
  it('has its output in files, its own exit code, and the turn tag in its environment', async () => {
    const command = host.aCommand('echo out; echo err >&2; echo "$SLUICE_TURN" >&2; exit 7', {
      env: { PATH: '/bin', SLUICE_TURN: 'forged' },
    });

    const exit = exitOf(await processes.run(command, hooks()));

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 7, signal: null, stdoutBytes: 4, token: command.token });
    expect(readFileSync(exit.stdout, 'utf8')).toBe('out\n');
    expect(readFileSync(exit.stderr, 'utf8')).toBe(`err\n${command.token}\n`);
  });

  it('inherits nothing of the environment of worker or guard', async () => {
    const command = host.aCommand(['/usr/bin/env'], { env: { ONLY: 'this' } });

    const exit = exitOf(await processes.run(command, hooks()));

    expect(
      readFileSync(exit.stdout, 'utf8')
        .split('\n')
        .filter((line) => !/^(PWD|OLDPWD)=/.test(line))
        .sort(),
    ).toEqual(['', 'ONLY=this', `SLUICE_TURN=${command.token}`]);
  });

  it('is answered from its record when asked again, and never started again', async () => {
    const command = host.aCommand('echo START >> ledger');
    const first = await processes.run(command, hooks());

    const second = await processes.run(command, hooks({ prepare: () => Promise.reject(new Error('prepared again')) }));

    expect(second).toEqual(first);
    expect(host.text('ledger')).toBe('START\n');
  });

  it('starts after prepare, and not at all if prepare fails', async () => {
    const command = host.aCommand('echo START >> ledger');
    const failing = processes.run(command, hooks({ prepare: () => Promise.reject(new Error('no worktree')) }));
    await expect(failing).rejects.toThrow('no worktree');
    const before = host.text('ledger');

    await processes.run(command, hooks({ prepare: async () => writeFileSync(host.path('ledger'), 'PREPARED\n') }));

    expect([before, host.text('ledger')]).toEqual(['', 'PREPARED\nSTART\n']);
  });

  it('goes on when its caller detaches, and is attached to afterwards', async () => {
    const command = host.aCommand('echo START >> ledger; while [ ! -e leave ]; do sleep 0.02; done; exit 5');
    const detach = new AbortController();
    const left = processes.run(command, hooks({ detach: detach.signal }));
    await until(() => host.text('ledger') !== '');

    detach.abort();
    await expect(left).rejects.toBeInstanceOf(DetachedError);
    const again = processes.run(command, hooks());
    writeFileSync(host.path('leave'), '');

    expect(exitOf(await again)).toMatchObject({ reason: 'exited', exitCode: 5 });
    expect(host.text('ledger')).toBe('START\n');
  });

  it('is attached to by somebody who does not find its program any more', async () => {
    const command = host.aCommand('echo on >> ledger; until [ -e go ]; do sleep 0.01; done; echo off >> ledger');
    const detaching = new AbortController();
    const first = processes.run(command, hooks({ detach: detaching.signal }));
    await until(() => host.text('ledger') === 'on\n');
    detaching.abort();
    await expect(first).rejects.toBeInstanceOf(DetachedError);

    const second = processes.run({ ...command, argv: ['a-program-that-is-gone'] }, hooks());
    writeFileSync(host.path('go'), '');

    expect(exitOf(await second).exitCode).toBe(0);
    expect(host.text('ledger')).toBe('on\noff\n');
  });

  it('reports the signal that ended it, and nothing of the shell in its stderr', async () => {
    const exit = exitOf(await processes.run(host.aCommand('kill -SEGV $$'), hooks()));

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 139, signal: 'SIGSEGV', stderrBytes: 0 });
  });

  it('ends, with what it left behind, when it kills its parent sh', async () => {
    const exit = exitOf(await processes.run(host.aCommand('echo $$ > pid; kill -KILL $PPID; sleep 60'), hooks()));

    expect(exit).toMatchObject({ reason: 'exited', exitCode: null, signal: 'SIGKILL' });
    expect(lives(pidIn('pid'))).toBe(false);
  });

  it('takes its setsid and its background children with it when it ends', async () => {
    const exit = exitOf(
      await processes.run(
        host.aCommand(
          'setsid sh -c "echo \\$\\$ > one; sleep 60" & sleep 60 & echo $! > two; while [ ! -s one ]; do sleep 0.02; done',
        ),
        hooks(),
      ),
    );

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    expect([lives(pidIn('one')), lives(pidIn('two'))]).toEqual([false, false]);
  });
});

describe('a limit', () => {
  it('ends a command at its time limit', async () => {
    const exit = exitOf(
      await processes.run(host.aCommand('sleep 60', { limits: { ...PATIENT, timeoutMs: 150 } }), hooks()),
    );

    expect(exit).toMatchObject({ reason: 'timed_out', signal: 'SIGTERM' });
  });

  it('ends a command that is silent for too long, but not one that speaks', async () => {
    // Seldom and for longer than its limit: on a busy machine one word may come two seconds late.
    const talking = host.aCommand('for i in 1 2 3 4 5 6 7; do echo $i; sleep 0.5; done', {
      limits: { ...limits, stallMs: 3_000 },
    });
    const silent = host.aCommand('echo once; sleep 60', { limits: { ...limits, stallMs: 400 } });

    const [spoke, hung] = await Promise.all([processes.run(talking, hooks()), processes.run(silent, hooks())]);

    expect([exitOf(spoke).reason, exitOf(hung).reason]).toEqual(['exited', 'stalled']);
  });

  it('ends a flood at once, even one that ignores TERM', async () => {
    const flood = host.aCommand("trap '' TERM; exec yes", {
      // No test waits for this grace.
      limits: { ...limits, outputBytes: 100_000, killGraceMs: 600_000 },
    });

    const exit = exitOf(await processes.run(flood, hooks()));

    expect(exit.reason).toBe('output_limit');
  });
});

describe('cancel', () => {
  it('ends a command that ignores TERM after the grace', async () => {
    const command = host.aCommand("trap '' TERM; echo $$ > pid; while :; do sleep 0.05; done", { limits });
    const cancel = new AbortController();
    const run = processes.run(command, hooks({ cancel: cancel.signal }));
    await until(() => host.text('pid') !== '');

    cancel.abort();

    expect(exitOf(await run).reason).toBe('aborted');
    expect(lives(pidIn('pid'))).toBe(false);
  });

  it('lets a command end by itself within the grace', async () => {
    const command = host.aCommand("trap 'echo bye; exit 9' TERM; echo > pid; while :; do sleep 0.02; done", {
      limits: PATIENT,
    });
    const cancel = new AbortController();
    const run = processes.run(command, hooks({ cancel: cancel.signal }));
    await until(() => host.text('pid') !== '');

    cancel.abort();

    const exit = exitOf(await run);
    expect(exit).toMatchObject({ reason: 'aborted', exitCode: 9 });
    expect(readFileSync(exit.stdout, 'utf8')).toBe('bye\n');
  });

  it('of a command that was not started leaves a record and starts nothing, as often as it is cancelled', async () => {
    const command = host.aCommand('echo START >> ledger');

    const end = await processes.run(command, hooks({ cancel: AbortSignal.abort() }));
    const again = await processes.run(command, hooks({ cancel: AbortSignal.abort() }));

    expect(exitOf(end)).toMatchObject({ reason: 'aborted', exitCode: null, stdoutBytes: 0 });
    expect(again).toEqual(end);
    expect(host.text('ledger')).toBe('');
  });

  it('by somebody else is told to whoever waits; whoever asks afterwards gets the command started again', async () => {
    const command = host.aCommand('echo START >> ledger; [ -e again ] || sleep 60; exit 4', { cwd: host.root });
    const waiting = processes.run(command, hooks());
    await until(() => host.text('ledger') !== '');
    await processes.endGroup(command.group, 'aborted');
    writeFileSync(host.path('again'), '');

    const told = await waiting;
    const asked = await processes.run(command, hooks());

    expect(exitOf(told)).toMatchObject({ reason: 'aborted' });
    expect(exitOf(asked)).toMatchObject({ reason: 'exited', exitCode: 4 });
    expect(host.text('ledger')).toBe('START\nSTART\n');
  });

  it('of a whole home interrupts: the wait goes on and the command is started again, as often as that happens', async () => {
    const command = host.aCommand('echo START >> ledger; [ "$(wc -l < ledger)" -ge 5 ] || sleep 60; exit 4', {
      cwd: host.root,
    });
    const waiting = processes.run(command, hooks());
    for (let start = 1; start <= 4; start += 1) {
      await until(() => host.text('ledger') === 'START\n'.repeat(start));
      await processes.endGroup(command.group, 'interrupted');
    }

    expect(exitOf(await waiting)).toMatchObject({ reason: 'exited', exitCode: 4 });
    expect(host.text('ledger')).toBe('START\n'.repeat(5));
  });
});

describe('a group', () => {
  it('is ended by a newer place of the same run, but not by a command below the same place', async () => {
    const token = randomUUID();
    const group = 'repo/run';
    const first = processes.run(host.aCommand('sleep 60', { token, group }), hooks());
    await until(() => host.text(`turns-${token}/claim.json`) !== '');
    await processes.run(host.aCommand('true', { token: subToken(token, 1), group }), hooks());
    const sparedLive = (await processes.live()).map((command) => command.token);

    await processes.run(host.aCommand('true', { group }), hooks());

    expect(sparedLive).toEqual([token]);
    expect(exitOf(await first).reason).toBe('aborted');
  });

  it('is gone when endGroup returns; other groups are not touched', async () => {
    const mine = processes.run(host.aCommand('echo $$ > mine; sleep 60', { group: 'repo/mine' }), hooks());
    const other = host.aCommand('sleep 60', { group: 'repo/other' });
    void processes.run(other, hooks()).catch(() => {});
    await until(() => host.text('mine') !== '' && host.text(`turns-${other.token}/claim.json`) !== '');

    await processes.endGroup('repo/mine', 'aborted');

    expect(lives(pidIn('mine'))).toBe(false);
    expect(await processes.live()).toEqual([{ token: other.token, group: 'repo/other' }]);
    expect(exitOf(await mine).reason).toBe('aborted');
  });
});

describe('marks', () => {
  it('of another input are moved aside and the command is started anew', async () => {
    const command = host.aCommand('echo START >> ledger');
    await processes.run(command, hooks());

    const end = await processes.run({ ...command, inputHash: 'other' }, hooks());

    expect(end).toMatchObject({ kind: 'ended', movedAside: true, exit: { inputHash: 'other' } });
    expect(host.text('ledger')).toBe('START\nSTART\n');
    expect(JSON.parse(host.text(`turns-${command.token}/stale/1/exit.json`))).toMatchObject({ inputHash: 'hash' });
  });

  it('of three starts in a row without an end are a crash loop', async () => {
    const command = host.aCommand('echo START >> ledger');
    await processes.run(command, hooks());
    const claim: unknown = JSON.parse(host.text(`turns-${command.token}/claim.json`));
    rmSync(join(command.dir, 'exit.json'));
    writeFileSync(join(command.dir, 'claim.json'), JSON.stringify({ ...Object(claim), starts: 3 }));

    const end = await processes.run(command, hooks());

    expect(end).toMatchObject({ kind: 'crash_loop', starts: 3 });
    expect(host.text('ledger')).toBe('START\n');
  });

  it('never hold arguments or environment', async () => {
    const command = host.aCommand('true; : secret-argument', { env: { PATH: '/bin', KEY: 'secret-value' } });
    await processes.run(command, hooks());

    const texts = [
      host.text(`turns-${command.token}/claim.json`),
      host.text(`turns-${command.token}/exit.json`),
      host.text('home/guard.log'),
    ];

    expect(texts.join('\n')).not.toMatch(/secret/);
  });
});
