/** Kills: of the guard at each of its steps, of the worker, of both. Starts are counted by the command's own ledger. */

import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CommandSpec } from '../../../activities/process/contract.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { until } from '../../support/until.js';
import { aGuardedHome, copyGuard, hooks, lives } from './guarded-home.js';

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

const ledgerOf = (spec: CommandSpec) => host.text(`turns-${spec.token}/ledger`);

function aLedgerCommand(overrides: Partial<CommandSpec> = {}): CommandSpec {
  const command = host.aCommand('', overrides);
  const script =
    'echo START >> ledger; echo $$ > pid; while [ ! -e leave ]; do sleep 0.02; done; echo END >> ledger; exit 4';
  return { ...command, cwd: command.dir, argv: ['/bin/sh', '-c', script] };
}

function letGo(command: CommandSpec): void {
  writeFileSync(join(command.dir, 'leave'), '');
}

async function killGuard(): Promise<void> {
  const pid = host.guardPid();
  process.kill(pid, 'SIGKILL');
  await until(() => !lives(pid));
}

describe('a guard that is killed', () => {
  it('in mid-turn costs nothing: the next one adopts the command', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    const run = processes.run(command, hooks());
    await until(() => ledgerOf(command) !== '');

    await killGuard();
    letGo(command);

    expect(await run).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
  });

  it('does not lose a command that ends while no guard lives', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    void processes.run(command, hooks()).catch(() => {});
    await until(() => ledgerOf(command) !== '');
    await processes.close();
    await killGuard();
    letGo(command);
    await until(() => host.text(`turns-${command.token}/raw`).startsWith('4\n'));

    const end = await (await host.connect()).run(command, hooks());

    expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
  });

  it('leaves its time limit to the next one', async () => {
    const processes = await host.connect();
    const limits = { timeoutMs: 1500, stallMs: null, killGraceMs: 200, outputBytes: 1_000_000 };
    const command = aLedgerCommand({ limits });
    const run = processes.run(command, hooks());
    await until(() => ledgerOf(command) !== '');

    await killGuard();

    expect(await run).toMatchObject({ exit: { reason: 'timed_out' } });
    expect(ledgerOf(command)).toBe('START\n');
  });

  it('leaves its time to the next one: a command is as old as it was', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    void processes.run(command, hooks()).catch(() => {});
    await until(() => ledgerOf(command) !== '');
    const started = performance.now();
    await processes.close();
    await killGuard();
    await until(() => performance.now() - started > 3000);

    const run = (await host.connect()).run(command, hooks());
    letGo(command);

    expect(await run).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    const exit: { ranMs: number } = JSON.parse(host.text(`turns-${command.token}/exit.json`));
    // By the kernel's clock ticks, a hundredth of a second each.
    expect(exit.ranMs).toBeGreaterThanOrEqual(2900);
  });

  it('together with its command: nothing is known of the end, so it is started again, the third time in vain', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    const run = processes.run(command, hooks());
    for (let start = 1; start <= 3; start += 1) {
      await until(() => ledgerOf(command) === 'START\n'.repeat(start));
      const claim: { pid: number } = JSON.parse(host.text(`turns-${command.token}/claim.json`));
      process.kill(host.guardPid(), 'SIGKILL');
      process.kill(-claim.pid, 'SIGKILL');
    }

    expect(await run).toMatchObject({ kind: 'crash_loop', starts: 3 });
    expect(ledgerOf(command)).toBe('START\n'.repeat(3));
  });

  it.each([
    ['guard.before-claim', 1],
    ['guard.after-claim', 1],
    ['guard.after-go', 1],
    ['guard.before-exit', 1],
    ['guard.after-exit', 1],
  ] as const)('at %s: one start, one end', async (failpoint, starts) => {
    writeFileSync(join(host.home, 'failpoint'), failpoint);
    const processes = await host.connect({ guardMain: guard.failingMain });
    const command = aLedgerCommand();
    letGo(command);

    const end = await processes.run(command, hooks());

    expect(end).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n'.repeat(starts));
    expect(host.text('home/fired')).toBe(`${failpoint}\n`);
  });
});

describe('a worker that is killed', () => {
  it('in mid-turn: the next one attaches and the agent was started once', async () => {
    const command = aLedgerCommand();
    const start = {
      home: host.home,
      orphanGraceMs: 60_000,
      durability: 'process',
      idleGraceMs: 300,
      guardMain: guard.main,
    };
    const worker = spawn(process.execPath, [guard.worker, JSON.stringify({ start, spec: command })], {
      stdio: 'ignore',
    });
    await until(() => ledgerOf(command) !== '');
    const dead = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGKILL');
    await dead;

    const run = (await host.connect()).run(command, hooks());
    letGo(command);

    expect(await run).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
  });

  it('before the go byte: its reservation falls, and the next one starts the command', async () => {
    const first = await host.connect();
    const command = aLedgerCommand();
    let prepared = false;
    const hanging = async () => {
      prepared = true;
      await new Promise(() => {});
    };
    void first.run(command, hooks({ prepare: hanging })).catch(() => {});
    await until(() => prepared);
    const second = (await host.connect()).run(command, hooks());
    letGo(command);

    await first.close();

    expect(await second).toMatchObject({ exit: { exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
  });
});

describe('a guard without a worker', () => {
  it('ends everything after the orphan grace; the command is started again when a worker returns', async () => {
    const processes = await host.connect({ orphanGraceMs: 200 });
    const command = aLedgerCommand();
    void processes.run(command, hooks()).catch(() => {});
    await until(() => host.text(`turns-${command.token}/pid`) !== '');

    await processes.close();
    await until(() => existsSync(join(command.dir, 'exit.json')));
    const interrupted: unknown = JSON.parse(host.text(`turns-${command.token}/exit.json`));
    const agentLives = lives(Number(host.text(`turns-${command.token}/pid`)));
    letGo(command);
    const end = await (await host.connect()).run(command, hooks());

    expect(interrupted).toMatchObject({ reason: 'interrupted' });
    expect(agentLives).toBe(false);
    expect(end).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nSTART\nEND\n');
  });

  it('and without a command ends itself and takes its socket along', async () => {
    const processes = await host.connect();
    const pid = host.guardPid();

    await processes.close();

    await until(() => !lives(pid));
    expect(existsSync(join(host.home, 'guard.sock'))).toBe(false);
    rmSync(join(host.home, 'guard.log'));
  });
});

describe('a home that is removed', () => {
  it('takes the commands of its guard along, then the guard', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    void processes.run(command, hooks()).catch(() => {});
    await until(() => host.text(`turns-${command.token}/pid`) !== '');
    const pid = host.guardPid();
    await processes.close();

    rmSync(host.home, { recursive: true });

    await until(() => !lives(pid));
    expect(lives(Number(host.text(`turns-${command.token}/pid`)))).toBe(false);
    expect(JSON.parse(host.text(`turns-${command.token}/exit.json`))).toMatchObject({ reason: 'interrupted' });
  });

  it('but for the list of its commands costs nothing: they are listed again, and go on', async () => {
    const processes = await host.connect();
    const command = aLedgerCommand();
    const run = processes.run(command, hooks());
    await until(() => ledgerOf(command) !== '');
    const pid = host.guardPid();

    rmSync(join(host.home, 'guard'), { recursive: true });
    await until(() => existsSync(join(host.home, 'guard', `${command.token}.json`)));
    await killGuard();
    letGo(command);

    expect(await run).toMatchObject({ kind: 'ended', exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
    expect(host.guardPid()).not.toBe(pid);
  });
});
