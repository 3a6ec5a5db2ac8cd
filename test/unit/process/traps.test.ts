/** The eleven traps of guards, each with the behaviour that shows it is avoided. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type CommandSpec, GuardUnavailable, type Processes } from '../../../activities/process/contract.js';
import { readRaw } from '../../../activities/process/marks.js';
import { openSocketFolder } from '../../../config/home/socket-folder.js';
import { itWhere } from '../../support/it-where.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { until } from '../../support/until.js';
import { aGuardedHome, copyGuard, hooks, lives } from './guarded-home.js';

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

const asRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const pidIn = (name: string) => Number(host.text(name));
const ledgerOf = (spec: CommandSpec) => host.text(`turns-${spec.token}/ledger`);

/** Writes START and END into its own folder; ends when `leave` appears beside it. */
function aLedgerCommand(code = 4): CommandSpec {
  const command = host.aCommand('');
  const script = `echo START >> ledger; while [ ! -e leave ]; do sleep 0.02; done; echo END >> ledger; exit ${code}`;
  return { ...command, cwd: command.dir, argv: ['/bin/sh', '-c', script] };
}

function letGo(command: CommandSpec): void {
  writeFileSync(join(command.dir, 'leave'), '');
}

describe('trap 1: two guards', () => {
  it('never answer for one home, however many start at once over a dead socket', async () => {
    const answers: string[][] = [];
    for (let race = 0; race < 8; race += 1) {
      const guards = [1, 2, 3].map(() => startBare({ idleGraceMs: 60_000 }));
      answers.push((await Promise.all(guards.map(firstLine))).sort());
      // Killed, so that the next race finds its socket file.
      await Promise.all(guards.map(killAndWait));
    }

    expect(answers).toEqual(answers.map(() => ['ready', 'taken', 'taken']));
    expect(existsSync(host.path('home/guard.sock'))).toBe(true);
  }, 300_000);
});

describe('trap 2: a guard that is killed before its first answer', () => {
  it('is named with its signal', async () => {
    const main = host.path('dies.mjs');
    writeFileSync(main, "process.kill(process.pid, 'SIGKILL')");

    await expect(host.connect({ guardMain: main })).rejects.toThrow(/before its first answer \(signal SIGKILL\)/);
  });
});

describe('trap 3: a socket path that is too long', () => {
  it('is replaced by a short private folder, where all workers of this home meet', async () => {
    const home = host.path('h'.repeat(120));
    const one = await host.connect({ home });
    const command = aLedgerCommand();
    const run = one.run(command, hooks());
    await until(() => ledgerOf(command) !== '');
    const two = await host.connect({ home: `${home}/../${'h'.repeat(120)}` });

    const live = await two.live();
    letGo(command);
    await run;

    const folder = openSocketFolder(home);
    expect(live).toEqual([{ token: command.token, group: command.group }]);
    expect(Buffer.byteLength(join(folder, 'guard.sock'))).toBeLessThanOrEqual(103);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(home).filter((name) => name.endsWith('.sock'))).toEqual([]);
    await Promise.all([one.close(), two.close()]);
    await until(() => !existsSync(join(folder, 'guard.sock')));
    rmSync(folder, { recursive: true });
  });
});

describe('trap 4: a disk that is full at the exit', () => {
  const canMount = asRoot && tryMount();

  itWhere(canMount, 'no right to mount a tmpfs')(
    'does not lose the end: its room was taken before the start',
    async () => {
      await onSmallDisk(async (disk) => {
        const processes = await host.connect();
        const command = { ...aLedgerCommand(), dir: join(disk, 'turn') };
        mkdirSync(command.dir);
        const run = processes.run(command, hooks());
        await until(() => ledgerOf(command) !== '');
        fill(disk);
        letGo({ ...command, dir: command.cwd });

        expect(await run).toMatchObject({ kind: 'ended', exit: { exitCode: 4 } });
        expect(JSON.parse(readFileSync(join(command.dir, 'exit.json'), 'utf8'))).toMatchObject({ exitCode: 4 });
      });
    },
  );

  itWhere(canMount, 'no right to mount a tmpfs')(
    'keeps the end in memory if even that room is gone, and writes it when there is room again',
    async () => {
      await onSmallDisk(async (disk) => {
        const processes = await host.connect();
        const command = { ...aLedgerCommand(), dir: join(disk, 'turn') };
        mkdirSync(command.dir);
        const run = processes.run(command, hooks());
        await until(() => ledgerOf(command) !== '');
        rmSync(join(command.dir, 'exit.json.tmp'));
        fill(disk);
        letGo({ ...command, dir: command.cwd });
        await until(() => /kept in memory/.test(host.text('home/guard.log')));
        const live = await processes.live();
        rmSync(join(disk, 'filler'));

        expect(await run).toMatchObject({ kind: 'ended', exit: { exitCode: 4 } });
        expect(live).toHaveLength(1);
      });
    },
  );

  itWhere(canMount, 'no right to mount a tmpfs')(
    'refuses a start for which there is no room, and starts nothing',
    async () => {
      await onSmallDisk(async (disk) => {
        const processes = await host.connect();
        const command = { ...aLedgerCommand(), dir: join(disk, 'turn') };
        mkdirSync(command.dir);
        fill(disk);

        await expect(processes.run(command, hooks())).rejects.toMatchObject({
          name: 'StartRefused',
          code: 'mark_not_written',
        });
        expect(ledgerOf(command)).toBe('');
      });
    },
  );
});

describe('trap 5: a home that cannot be written', () => {
  itWhere(asRoot, 'needs root to become another user')('is refused with the reason that the guard had', async () => {
    chmodSync(host.root, 0o755);
    chmodSync(host.home, 0o555);
    const command = host.aCommand('true');

    const said = execFileSync('/usr/bin/setpriv', [
      ...asNobody(),
      process.execPath,
      guard.worker,
      JSON.stringify({
        start: { home: host.home, orphanGraceMs: 1000, durability: 'process', guardMain: guard.main },
        spec: command,
      }),
    ]);

    expect(String(said)).toMatch(/cannot be started.*EACCES.*home.*Nothing was started/s);
    chmodSync(host.home, 0o700);
  });

  it('is refused if it is a file', async () => {
    writeFileSync(host.path('file'), '');

    await expect(host.connect({ home: host.path('file') })).rejects.toBeInstanceOf(GuardUnavailable);
  });
});

describe('trap 6: what cannot be started', () => {
  const refusals: readonly (readonly [string, string, (command: CommandSpec) => CommandSpec])[] = [
    ['a missing program', 'program_missing', (command) => ({ ...command, argv: [host.path('none')] })],
    [
      'a program that is not executable',
      'program_not_executable',
      (command) => ({ ...command, argv: ['/etc/passwd'] }),
    ],
    ['a folder as program', 'program_not_executable', (command) => ({ ...command, argv: ['/etc'] })],
    ['a missing working folder', 'cwd_missing', (command) => ({ ...command, cwd: host.path('none') })],
    ['a missing stdin', 'stdin_missing', (command) => ({ ...command, stdin: host.path('none') })],
    [
      'an argument of 200 kB',
      'argument_too_long',
      (command) => ({ ...command, argv: ['/bin/true', 'x'.repeat(200_000)] }),
    ],
    [
      'a program that was not found, by its name alone',
      'program_missing',
      (command) => ({ ...command, argv: ['true'] }),
    ],
  ];

  it.each(refusals)('is refused by name: %s', async (_what, code, change) => {
    const processes = await host.connect();

    await expect(processes.run(change(host.aCommand('true')), hooks())).rejects.toMatchObject({
      name: 'StartRefused',
      code,
    });
    expect(await processes.live()).toEqual([]);
  });

  it("is told from an agent's own 126 and 127", async () => {
    const processes = await host.connect();

    const ends = await Promise.all([126, 127].map((code) => processes.run(host.aCommand(`exit ${code}`), hooks())));

    expect(ends).toMatchObject([{ exit: { exitCode: 126, signal: null } }, { exit: { exitCode: 127, signal: null } }]);
  });
});

describe('trap 7: versions', () => {
  it('an older guard retires, keeps its turns, and every guard is asked before a turn is started', async () => {
    const older = await host.connect({ version: 1 });
    const command = aLedgerCommand();
    const first = older.run(command, hooks());
    await until(() => ledgerOf(command) !== '');
    const olderPid = host.guardPid();

    const newer = await host.connect({ version: 2 });
    const attached = newer.run(command, hooks());
    const fresh = await newer.run(host.aCommand('exit 3'), hooks());
    const fromOlder = await older.run(host.aCommand('exit 2'), hooks());
    const live = await newer.live();
    letGo(command);

    expect(await first).toEqual(await attached);
    expect([fresh, fromOlder]).toMatchObject([{ exit: { exitCode: 3 } }, { exit: { exitCode: 2 } }]);
    expect(live).toEqual([{ token: command.token, group: command.group }]);
    expect(ledgerOf(command)).toBe('START\nEND\n');
    expect(host.guardPid()).not.toBe(olderPid);
    await until(() => !lives(olderPid));
  });

  it('the turns of a retired guard that dies are adopted', async () => {
    const older = await host.connect({ version: 1 });
    const command = aLedgerCommand();
    void older.run(command, hooks()).catch(() => {});
    await until(() => ledgerOf(command) !== '');
    const olderPid = host.guardPid();
    const newer = await host.connect({ version: 2 });

    process.kill(olderPid, 'SIGKILL');
    await until(() => !lives(olderPid));
    const run = newer.run(command, hooks());
    letGo(command);

    expect(await run).toMatchObject({ exit: { reason: 'exited', exitCode: 4 } });
    expect(ledgerOf(command)).toBe('START\nEND\n');
  });

  it('a newer place ends the turns of its run in a retired guard too', async () => {
    const older = await host.connect({ version: 1 });
    const command = { ...aLedgerCommand(), group: 'repo/run' };
    const first = older.run(command, hooks());
    await until(() => ledgerOf(command) !== '');
    const newer = await host.connect({ version: 2 });

    await newer.run(host.aCommand('true', { group: 'repo/run' }), hooks());

    expect(await first).toMatchObject({ exit: { reason: 'aborted' } });
  });
});

describe('trap 8: a process that hides its environment', () => {
  it('is found by its limit mark: env -i in a session of its own', async () => {
    const processes = await host.connect();

    await processes.run(
      host.aCommand(
        'env -i /usr/bin/setsid /bin/sh -c "echo \\$\\$ > pid; sleep 60" & while [ ! -s pid ]; do sleep 0.02; done',
      ),
      hooks(),
    );

    expect(lives(pidIn('pid'))).toBe(false);
  });

  itWhere(asRoot, 'needs root to become another user')(
    'is found by its limit mark: an undumpable program of an ordinary user',
    async () => {
      for (const folder of [host.root, host.home]) {
        chmodSync(folder, 0o755);
        chownSync(folder, NOBODY, NOBODY);
      }
      const undumpable = host.path('unreadable-sleep');
      copyFileSync('/bin/sleep', undumpable);
      chmodSync(undumpable, 0o111);
      const command = host.aCommand(`env -i /usr/bin/setsid ${undumpable} 60 & echo $! > pid`);
      chownSync(command.dir, NOBODY, NOBODY);
      const start = {
        home: host.home,
        orphanGraceMs: 60_000,
        durability: 'process',
        idleGraceMs: 300,
        guardMain: guard.main,
      };

      const said = execFileSync('/usr/bin/setpriv', [
        ...asNobody(),
        process.execPath,
        guard.worker,
        JSON.stringify({ start, spec: command }),
      ]);

      expect(JSON.parse(String(said))).toMatchObject({ exit: { exitCode: 0 } });
      expect(commandLines().filter((line) => line.includes(undumpable))).toEqual([]);
    },
  );
});

describe('trap 9: forks and reused pids', () => {
  it('children that flee from session to session are gone after the end', async () => {
    const processes = await host.connect();
    const name = host.path('hopper');
    // Four of them, each replaced by one successor at most 200 times: never more than a few at once, and over by itself.
    writeFileSync(
      name,
      `#!/bin/sh\ntrap '' TERM\n: > "${host.path('hopping')}"\nsleep 0.03\n[ "$1" -ge 200 ] || setsid "${name}" $(($1 + 1)) &\n`,
    );
    chmodSync(name, 0o755);
    const cancel = new AbortController();
    const script = `for i in 1 2 3 4; do setsid "${name}" 1 & done; sleep 20`;
    const run = processes.run(host.aCommand(script), hooks({ cancel: cancel.signal }));
    await until(() => existsSync(host.path('hopping')));

    cancel.abort();

    expect(await run).toMatchObject({ exit: { reason: 'aborted' } });
    expect(commandLines().filter((line) => line.includes(name))).toEqual([]);
  });

  it('a pid that belongs to somebody else by now is neither adopted nor killed', async () => {
    const bystander = spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
    const first = await host.connect();
    const command = aLedgerCommand();
    void first.run(command, hooks()).catch(() => {});
    await until(() => ledgerOf(command) !== '');
    const claim: unknown = JSON.parse(host.text(`turns-${command.token}/claim.json`));
    process.kill(host.guardPid(), 'SIGKILL');
    await first.close();
    writeFileSync(join(command.dir, 'claim.json'), JSON.stringify({ ...Object(claim), pid: bystander.pid }));

    letGo(command);
    const second = await host.connect();
    const end = await second.run(command, hooks());

    expect(end).toMatchObject({ exit: { exitCode: 4 } });
    expect(lives(bystander.pid ?? 0)).toBe(true);
    await killAndWait(bystander);
  });
});

describe('trap 10: a sweep that meets a fresh start', () => {
  it('two workers that ask for one token at once get one start and one end', async () => {
    const workers: Processes[] = [await host.connect(), await host.connect(), await host.connect()];
    for (let round = 0; round < 5; round += 1) {
      const command = { ...aLedgerCommand(), stdin: null };
      const runs = workers.map((worker) => worker.run(command, hooks()));
      await until(() => ledgerOf(command) !== '');
      letGo(command);

      const ends = await Promise.all(runs);

      expect(ends).toMatchObject(workers.map(() => ({ exit: { reason: 'exited', exitCode: 4 } })));
      expect(ledgerOf(command)).toBe('START\nEND\n');
    }
  });
});

describe('trap 11: the parent sh', () => {
  it('gives the program its stdin and lets it be interrupted', async () => {
    const processes = await host.connect();
    writeFileSync(host.path('prompt'), 'a prompt\n');

    const end = await processes.run(
      host.aCommand('cat; kill -INT $$; echo ignored', { stdin: host.path('prompt') }),
      hooks(),
    );

    expect(end).toMatchObject({ exit: { exitCode: 130, signal: 'SIGINT' } });
    expect(readFileSync(end.kind === 'ended' ? end.exit.stdout : '', 'utf8')).toBe('a prompt\n');
  });

  it.each(['TERM', 'INT', 'HUP', 'QUIT'])('survives %s and notes the status of its program', async (signal) => {
    const processes = await host.connect();

    const end = await processes.run(host.aCommand(`kill -${signal} $PPID; sleep 0.1; exit 6`), hooks());

    expect(end).toMatchObject({ exit: { reason: 'exited', exitCode: 6 } });
  });

  it.each([
    ['', null],
    ['13', null],
    ['    ', null],
    ['137\n', 137],
    ['0\n  ', 0],
  ])('a status without its newline counts as absent: %j', (text, status) => {
    writeFileSync(host.path('raw'), text);

    expect(readRaw(host.root)).toBe(status);
  });
});

function asNobody(): string[] {
  return [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
}

function startBare(options: object): ChildProcess {
  const start = { home: host.home, orphanGraceMs: 60_000, durability: 'process', ...options };
  return spawn(process.execPath, [guard.main, JSON.stringify(start)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout?.once('data', (chunk: Buffer) => resolve(String(chunk).trim())));
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}

function tryMount(): boolean {
  const folder = join(tmpdir(), `sluice-mount-${process.pid}`);
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onSmallDisk(work: (disk: string) => Promise<void>): Promise<void> {
  const disk = host.path('disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  try {
    await work(disk);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
}

/** To the last byte. */
function fill(disk: string): void {
  for (const size of [65_536, 4096, 1]) {
    try {
      for (;;) {
        writeFileSync(join(disk, 'filler'), Buffer.alloc(size), { flag: 'a' });
      }
    } catch {
      // Full for this size.
    }
  }
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && lives(Number(name)))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    });
}
