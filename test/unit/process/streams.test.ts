/** The files behind what a command reads and prints: none that it can open again for another purpose, none larger at the end than its limit. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, linkSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandEnd, CommandSpec, ExitRecord } from '../../../activities/process/contract.js';
import { itInSandbox, mayTrySandbox } from '../../support/it-in-sandbox.js';
import { itWhere } from '../../support/it-where.js';
import { openedForEach, openedOnce } from '../../support/opened.js';
import { until } from '../../support/until.js';
import { removeFolders } from '../git/repository-fixture.js';
import { openSandboxedHost, type SandboxedHost } from '../sandbox/sandboxed-host.js';
import { aGuardedHome, copyGuard, hooks, lives } from './guarded-home.js';

const LIMIT = 1_000_000;
const LIMITS = { timeoutMs: 60_000, stallMs: null, killGraceMs: 200, outputBytes: LIMIT };
const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;

/** More than a pipe holds. */
const LARGE = 'a line of the prompt that says where it stands\n'.repeat(20_000);

const guard = openedOnce(copyGuard);
const host = openedForEach(() => aGuardedHome(guard));

describe('what a command reads', () => {
  it.each([
    ['a short prompt', 'a prompt\n'],
    ['more than a pipe holds', LARGE],
  ])('comes whole through a pipe, its own exit code with it: %s', async (_what, prompt) => {
    const exit = await runToEnd(aCommand('[ -p /dev/stdin ] && cat; exit 7', { prompt }));

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 7, stderrBytes: 0 });
    expect(hashOf(readFileSync(exit.stdout, 'utf8'))).toBe(hashOf(prompt));
  });

  it('is /dev/null where it is given nothing', async () => {
    const exit = await runToEnd(aCommand('cat; readlink /proc/self/fd/0'));

    expect(readFileSync(exit.stdout, 'utf8')).toBe('/dev/null\n');
  });

  it('keeps it from ending neither unread nor held open by what it left behind', async () => {
    const unread = aCommand('exit 5', { prompt: LARGE });
    const held = aCommand('sleep 60 <&0 & exit 6', { prompt: LARGE });

    const ends = await Promise.all([runToEnd(unread), runToEnd(held)]);

    expect(ends).toMatchObject([
      { reason: 'exited', exitCode: 5, signal: null },
      { reason: 'exited', exitCode: 6, signal: null },
    ]);
    expect(processesWith(unread.token, held.token)).toEqual([]);
  });

  it('comes whole to one that reads slowly, though the guard is killed meanwhile', async () => {
    const processes = await host.connect();
    const command = aCommand('head -c 1000; echo > begun; while [ ! -e leave ]; do sleep 0.02; done; cat', {
      prompt: LARGE,
    });
    const run = processes.run(command, hooks());
    await until(() => host.text('begun') !== '');

    await killGuard();
    writeFileSync(host.path('leave'), '');

    const exit = exitOf(await run);
    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    expect(hashOf(readFileSync(exit.stdout, 'utf8'))).toBe(hashOf(LARGE));
  });

  it('is no file of ours: neither written over nor grown by its descriptor', async () => {
    const command = aCommand(
      'truncate -s 50M /proc/self/fd/0; (echo FORGED > /proc/self/fd/0) & cat > /dev/null & exit 0',
      {
        prompt: 'a prompt\n',
      },
    );

    await runToEnd(command);

    expect(hashOf(readFileSync(command.stdin ?? '', 'utf8'))).toBe(hashOf('a prompt\n'));
  });
});

describe('what a command printed', () => {
  it('is cut at its limit where its last act makes it 300 GB of nothing, and that ends it as a flood does', async () => {
    const exit = await runToEnd(aCommand('echo said; truncate -s 300G /proc/self/fd/1; exit 0'));

    expect(exit).toMatchObject({ reason: 'output_limit', stdoutBytes: LIMIT, stderrBytes: 0 });
    expect(statSync(exit.stdout).size).toBe(LIMIT);
    expect(readFileSync(exit.stdout, 'utf8').slice(0, 5)).toBe('said\n');
  });

  it.each([
    ['both', '300G', '300G', LIMIT / 2, LIMIT / 2],
    ['stdout alone', '300G', '1000', LIMIT - 1000, 1000],
    ['stderr alone', '1000', '300G', 1000, LIMIT - 1000],
  ])('is cut in fair parts: %s too large', async (_what, stdout, stderr, keptOut, keptErr) => {
    const exit = await runToEnd(
      aCommand(`truncate -s ${stdout} /proc/self/fd/1; truncate -s ${stderr} /proc/self/fd/2`),
    );

    expect(exit).toMatchObject({ reason: 'output_limit', stdoutBytes: keptOut, stderrBytes: keptErr });
    expect([statSync(exit.stdout).size, statSync(exit.stderr).size]).toEqual([keptOut, keptErr]);
  });

  it('is left as it is up to the limit', async () => {
    const exit = await runToEnd(aCommand(`truncate -s ${LIMIT} /proc/self/fd/1`));

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0, stdoutBytes: LIMIT });
  });

  it('is cut after another end too, which stays the reason', async () => {
    const processes = await host.connect();
    const cancel = new AbortController();
    const command = aCommand(
      "trap 'truncate -s 300G /proc/self/fd/1; exit 9' TERM; echo > begun; while :; do sleep 0.02; done",
    );
    const run = processes.run(command, hooks({ cancel: cancel.signal }));
    await until(() => host.text('begun') !== '');

    cancel.abort();

    const exit = exitOf(await run);
    expect(exit).toMatchObject({ reason: 'aborted', exitCode: 9 });
    expect(exit.stdoutBytes + exit.stderrBytes).toBe(LIMIT);
  });

  it('is cut by the guard that adopted it', async () => {
    const processes = await host.connect();
    const command = aCommand(
      'echo > begun; while [ ! -e leave ]; do sleep 0.02; done; truncate -s 300G /proc/self/fd/1',
    );
    const run = processes.run(command, hooks());
    await until(() => host.text('begun') !== '');

    await killGuard();
    await until(() => /adopted a running command/.test(host.text('home/guard.log')));
    writeFileSync(host.path('leave'), '');

    expect(exitOf(await run)).toMatchObject({ reason: 'output_limit', stdoutBytes: LIMIT });
  });

  it('is judged by the guard that comes after the end, which never saw it grow', async () => {
    const processes = await host.connect();
    const command = aCommand(
      'echo > begun; while [ ! -e leave ]; do sleep 0.02; done; truncate -s 300G /proc/self/fd/1',
    );
    void processes.run(command, hooks()).catch(() => {});
    await until(() => host.text('begun') !== '');
    await processes.close();
    await killGuard();
    writeFileSync(host.path('leave'), '');
    await until(() => host.text(`turns-${command.token}/raw`).startsWith('0\n'));

    expect(await runToEnd(command)).toMatchObject({ reason: 'output_limit', exitCode: 0, stdoutBytes: LIMIT });
  });

  it('is cut by a guard that has retired', async () => {
    const older = await host.connect({ version: 1 });
    const command = aCommand(
      'echo > begun; while [ ! -e leave ]; do sleep 0.02; done; truncate -s 300G /proc/self/fd/1',
    );
    const run = older.run(command, hooks());
    await until(() => host.text('begun') !== '');
    const olderPid = host.guardPid();
    await host.connect();

    writeFileSync(host.path('leave'), '');

    expect(exitOf(await run)).toMatchObject({ reason: 'output_limit', stdoutBytes: LIMIT });
    await until(() => !lives(olderPid));
  });

  it('was too much whoever tells it: a guard that dies between the cut and the record leaves the reason to the next', async () => {
    writeFileSync(join(host.home, 'failpoint'), 'guard.before-exit');
    const processes = await host.connect({ guardMain: guard.failingMain });

    const exit = exitOf(await processes.run(aCommand('truncate -s 300G /proc/self/fd/1'), hooks()));

    expect(exit).toMatchObject({ reason: 'output_limit', stdoutBytes: LIMIT });
    expect(host.text('home/fired')).toBe('guard.before-exit\n');
  });

  it.each([
    ['a pipe that nobody fills', 'mkfifo stdout'],
    ['a link to what has no end', 'ln -s /dev/zero stdout'],
    ['a folder', 'mkdir stdout; echo x > stdout/x'],
    ['nothing', 'true'],
  ])('is a file of ours where the command put %s', async (_what, put) => {
    const command = aCommand(`echo said; cd "$TURN"; rm stdout; ${put}`);

    const exit = await runToEnd(command);

    expect(exit).toMatchObject({ reason: 'exited', exitCode: 0, stdoutBytes: 0 });
    expect(lstatSync(exit.stdout).isFile()).toBe(true);
    expect(await runToEnd({ ...command, inputHash: 'another' })).toMatchObject({ reason: 'exited', exitCode: 0 });
  });

  it('is no file of the person: one with a second name is neither cut nor told as output', async () => {
    const own = host.path('own');
    writeFileSync(own, 'x'.repeat(2 * LIMIT));
    const command = aCommand('while [ ! -e leave ]; do sleep 0.02; done');
    const run = (await host.connect()).run(command, hooks());
    await until(() => host.text(`turns-${command.token}/claim.json`) !== '');
    execFileSync('rm', [join(command.dir, 'stderr')]);

    linkSync(own, join(command.dir, 'stderr'));
    writeFileSync(host.path('leave'), '');

    expect(exitOf(await run)).toMatchObject({ reason: 'output_limit', stderrBytes: 0 });
    expect(statSync(own).size).toBe(2 * LIMIT);
  });

  itWhere(asRoot, 'needs root to become another user')(
    'is read though the command, an ordinary user, took the right away',
    async () => {
      const command = aCommand(
        `chmod 000 /proc/self/fd/1 /proc/self/fd/2; chmod 000 "$TURN"; head -c ${2 * LIMIT} /dev/zero`,
      );
      for (const folder of [host.root, host.home]) chmodSync(folder, 0o755);
      for (const folder of [host.root, host.home, command.dir]) chownSync(folder, NOBODY, NOBODY);
      const start = {
        home: host.home,
        orphanGraceMs: 60_000,
        durability: 'process',
        idleGraceMs: 300,
        guardMain: guard.main,
      };
      const asNobody = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];

      const said = execFileSync(
        '/usr/bin/setpriv',
        [...asNobody, process.execPath, guard.worker, JSON.stringify({ start, spec: command })],
        {
          timeout: 60_000,
        },
      );

      expect(JSON.parse(String(said))).toMatchObject({ exit: { reason: 'output_limit', stdoutBytes: LIMIT } });
      expect(lstatSync(join(command.dir, 'stderr')).mode & 0o777).toBe(0o600);
    },
  );
});

describe('in a sandbox', () => {
  let inside: SandboxedHost;
  beforeAll(async () => {
    if (mayTrySandbox) inside = await openSandboxedHost(guard);
  }, 300_000);
  afterAll(async () => {
    if (!mayTrySandbox) return;
    await inside.close();
    removeFolders();
  }, 300_000);

  itInSandbox(
    'the prompt comes whole, and is neither grown nor forged by any descriptor of any process there',
    async () => {
      const grow = 'for fd in /proc/[0-9]*/fd/0; do truncate -s 50M $fd; (echo FORGED > $fd) & done 2>/dev/null';
      const { exit, dir, stdout } = await inside.inside(`cat; ${grow}; kill $(jobs -p) 2>/dev/null; exit 3`, {
        prompt: LARGE,
      });

      expect(exit).toMatchObject({ reason: 'exited', exitCode: 3 });
      expect(hashOf(stdout)).toBe(hashOf(LARGE));
      expect(hashOf(readFileSync(join(dir, 'prompt.md'), 'utf8'))).toBe(hashOf(LARGE));
    },
  );

  itInSandbox('300 GB of nothing on both streams, without the right to read them, are cut at the limit', async () => {
    const line = 'truncate -s 300G /proc/self/fd/1 /proc/self/fd/2; chmod 000 /proc/self/fd/1; exit 0';
    const { exit } = await inside.inside(line, { limits: { outputBytes: LIMIT } });

    expect(exit).toMatchObject({ reason: 'output_limit', stdoutBytes: LIMIT / 2, stderrBytes: LIMIT / 2 });
    expect(lstatSync(exit.stdout).mode & 0o777).toBe(0o600);
  });
});

interface Given {
  readonly prompt?: string;
}

function aCommand(script: string, { prompt }: Given = {}): CommandSpec {
  const command = host.aCommand(script, { limits: LIMITS });
  const stdin = prompt === undefined ? null : join(command.dir, 'prompt.md');
  if (stdin !== null) writeFileSync(stdin, prompt ?? '');
  return { ...command, stdin, env: { ...command.env, TURN: command.dir } };
}

async function runToEnd(command: CommandSpec): Promise<ExitRecord> {
  return exitOf(await (await host.connect()).run(command, hooks()));
}

function exitOf(end: CommandEnd): ExitRecord {
  if (end.kind !== 'ended') throw new Error(`it ended as ${end.kind}`);
  return end.exit;
}

async function killGuard(): Promise<void> {
  const pid = host.guardPid();
  process.kill(pid, 'SIGKILL');
  await until(() => !lives(pid));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Those that carry the turn tag of one of these. */
function processesWith(...tokens: readonly string[]): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        lives(Number(pid)) &&
        tokens.some((token) => readFileSync(`/proc/${pid}/environ`, 'latin1').includes(token))
      );
    } catch {
      return false;
    }
  });
}
