/** What whoever starts a program of ours has open: each closes it before it does anything else. Linux only, like the flags that tell such a descriptor from our own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import { FOREIGN_NUMBERS, type ForeignDescriptors, openForeign } from '../../support/foreign-descriptors.js';
import { itInSandbox, mayTrySandbox } from '../../support/it-in-sandbox.js';
import { itWhere } from '../../support/it-where.js';
import { until } from '../../support/until.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';
import { type CopiedGuard, copyGuard } from '../process/guarded-home.js';
import { openSandboxedHost, runAsUser, type SandboxedHost } from '../sandbox/sandboxed-host.js';

const LIMIT_MS = 300_000;

/** Node marks those up to 15 at its own start: they stay open in that process, and no program that it starts gets them. */
const OVER_15 = FOREIGN_NUMBERS.filter((number) => number > 15);

const CLOSE_ON_EXEC = 0o2000000;

const onLinux = itWhere(process.platform === 'linux', 'only Linux tells the flags of a descriptor');

let folder: string;
let foreign: ForeignDescriptors;
const started: ChildProcess[] = [];

beforeEach(() => {
  folder = tempFolder();
  foreign = openForeign(join(folder, 'foreign'));
});
afterEach(() => {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL');
    for (const stream of child.stdio) stream?.destroy();
  }
  foreign.close();
});
afterAll(() => removeFolders());

/** A program of ours that waits for its input, with the forty. It begins with SIGCONT, so that they can be looked at while it closes none of them. */
async function start(main: string, args: readonly string[]): Promise<ChildProcess> {
  const [, ...rest] = foreign.stdio;
  const child = spawn(
    '/bin/sh',
    ['-c', 'kill -STOP $$; exec "$@"', 'sh', process.execPath, resolve('dist', main), ...args],
    {
      stdio: ['pipe', ...rest],
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, SLUICE_HOME: join(folder, 'home') },
    },
  );
  started.push(child);
  await until(() => /^State:\s*T/m.test(readFileSync(`/proc/${child.pid}/status`, 'latin1')));
  return child;
}

/** Of guard and engine. The engine finds no server that it could start, and says so to whoever asks. */
function options(): string {
  const home = join(folder, 'home');
  mkdirSync(join(home, 'logs'), { recursive: true });
  const ofGuard = { orphanGraceMs: 60_000, idleGraceMs: 60_000, durability: 'process' };
  const ofEngine = {
    binary: '/nowhere/temporal',
    serverVersion: '1',
    ui: false,
    ports: { server: 1, ui: 2 },
    worker: ['true'],
  };
  return JSON.stringify({ home, ...ofGuard, ...ofEngine });
}

/** Numbers of the forty at which that process has what a program that it starts would get. */
function heldBy({ pid }: ChildProcess): readonly number[] {
  return OVER_15.filter((number) => {
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${number}`, 'latin1'))?.[1] ?? '';
      return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    } catch {
      return false;
    }
  });
}

describe('a program of ours that is started with forty foreign descriptors', () => {
  onLinux.each([
    ['the command line', 'client/cli/main.js', ['batch', '-', '--name', 'some']],
    ['the client of ACP', 'activities/agent/adapters/acp/main.js', ['true']],
    [
      'the client of a model',
      'activities/agent/adapters/model/main.js',
      ['--provider', 'anthropic', '--model', 'm', '--answer', 'text'],
    ],
    ['a trial', 'activities/agent/trial/main.js', []],
    ['a look at a forge', 'activities/forge/doctor/main.js', []],
    ['the guard', 'activities/process/guard/main.js', ['OPTIONS']],
    ['the engine', 'worker/local-engine/main.js', ['OPTIONS']],
    ['the worker', 'worker/main.js', ['--no-profile']],
    ['the scripted agent', 'activities/agent/scripted/main.js', ['FIXTURE']],
  ])('closes them: %s', async (_name, main, args) => {
    const fixture = join(folder, 'fixture.json');
    writeFileSync(fixture, '{"stages":{}}');
    const child = await start(
      main,
      args.map((word) => ({ FIXTURE: fixture, OPTIONS: options() })[word] ?? word),
    );

    const atFirst = heldBy(child);
    child.kill('SIGCONT');
    await until(() => heldBy(child).length === 0 || child.exitCode !== null);

    expect(atFirst).toEqual(OVER_15);
    expect({ held: heldBy(child), exitCode: child.exitCode }).toEqual({ held: [], exitCode: null });
  });

  onLinux('keeps the one that an argument of the command line names, as a shell writes it for <(command)', async () => {
    const child = await start('client/cli/main.js', ['batch', `/dev/fd/${OVER_15[1]}`, '--name', 'some']);
    child.kill('SIGCONT');

    await until(() => heldBy(child).length === 1 || child.exitCode !== null);

    expect(heldBy(child)).toEqual([OVER_15[1]]);
  });
});

describe('the outer program of a sandbox that is started with forty foreign descriptors, as by a guard of an older version', () => {
  let guard: CopiedGuard;
  let host: SandboxedHost;

  beforeAll(async () => {
    if (!mayTrySandbox) return;
    guard = copyGuard();
    host = await openSandboxedHost(guard);
  }, LIMIT_MS);
  afterAll(async () => {
    if (!mayTrySandbox) return;
    await host.close();
    guard.close();
  }, LIMIT_MS);

  /** All that is to be seen inside, bubblewrap's own process among it; and the way over a folder that is open. */
  const LOOK = `for link in /proc/[0-9]*/fd/*; do readlink "$link"; done; for number in ${OVER_15.join(' ')}; do ls -d /proc/self/fd/$number /proc/1/fd/$number; done; echo looked`;

  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? itInSandbox : itWhere(false, 'the test cannot become another user');

  itInSandbox('shows none of them inside', async () => {
    const { spec, hooks } = host.enter(LOOK);
    await hooks.prepare();
    const child = spawn(process.execPath, [guard.sandbox.main, spec.dir], {
      env: { ...spec.env },
      cwd: '/',
      stdio: [...foreign.stdio],
    });
    started.push(child);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await once(child, 'exit');

    expect(output).toContain('looked');
    expect(output).not.toContain(foreign.word);
    expect(output.split('\n').filter((line) => /^\/proc\/.*\/fd\/\d+$/.test(line))).toEqual([]);
  });

  asUser('shows none of them inside to an ordinary user either', async () => {
    const { code, output } = await runAsUser(65_534, host, guard.sandbox, LOOK, foreign.stdio);

    expect(code).toBe(0);
    expect(output).toContain('looked');
    expect(output).not.toContain(foreign.word);
  });
});
