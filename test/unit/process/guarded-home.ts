/**
 * A temp home with a real guard for the tests of this folder: a copy of the built one, for each test file.
 * Leaves no process and no file behind.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CommandSpec, Processes, RunHooks } from '../../../activities/process/contract.js';
import { connectProcesses } from '../../../activities/process/processes.js';
import type { GuardStart } from '../../../activities/process/start-guard.js';
import type { SandboxPrograms } from '../../../activities/sandbox/sandbox-spec.js';
import { until } from '../../support/until.js';

/** All that guard and sandbox load. */
const BUILT = ['dist/activities', 'dist/config', 'dist/protocol', 'dist/wire'];
const PROGRAMS = ['test/unit/process/failing-guard.mjs', 'test/unit/process/one-run-worker.mjs'] as const;

export interface CopiedGuard {
  readonly folder: string;
  readonly main: string;
  /** Kills itself at the failpoint named in `<home>/failpoint`, once. */
  readonly failingMain: string;
  /** A worker process: connects, runs one spec, prints its end. */
  readonly worker: string;
  readonly sandbox: SandboxPrograms;
  close(): void;
}

export function copyGuard(): CopiedGuard {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-guard-build-')));
  // Ordinary users run it too, who may not look into the checkout.
  chmodSync(folder, 0o755);
  for (const part of ['package.json', ...BUILT, ...PROGRAMS])
    cpSync(resolve(part), join(folder, part), { recursive: true });
  const [failingMain, worker] = PROGRAMS;
  return {
    folder,
    main: join(folder, 'dist/activities/process/guard/main.js'),
    failingMain: join(folder, failingMain),
    worker: join(folder, worker),
    sandbox: {
      main: join(folder, 'dist/activities/sandbox/main.js'),
      inside: join(folder, 'dist/activities/sandbox/inside.js'),
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface GuardedHome {
  readonly root: string;
  readonly home: string;
  connect(overrides?: Partial<GuardStart>): Promise<Processes>;
  /** A command in a folder of its own: a program and its arguments, or a text for `sh -c`. */
  aCommand(command: string | readonly [string, ...string[]], overrides?: Partial<CommandSpec>): CommandSpec;
  path(name: string): string;
  text(name: string): string;
  /** Of the guard that started last. */
  guardPid(): number;
  close(): Promise<void>;
}

export function aGuardedHome(guard: CopiedGuard, folder?: string): GuardedHome {
  const root = realpathSync(mkdtempSync(join(folder ?? tmpdir(), 'sluice-guard-')));
  const home = join(root, 'home');
  mkdirSync(home);
  const connections: Processes[] = [];
  const path = (name: string) => join(root, name);
  const connect: GuardedHome['connect'] = async (overrides = {}) => {
    const base = {
      home,
      orphanGraceMs: 60_000,
      durability: 'process',
      idleGraceMs: 300,
      guardMain: guard.main,
    } as const;
    const connection = await connectProcesses({ ...base, ...overrides });
    connections.push(connection);
    return connection;
  };
  return {
    root,
    home,
    path,
    connect,
    text: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : ''),
    guardPid: () => lastGuard(home),
    aCommand: (command, overrides = {}) => {
      const token = overrides.token ?? randomUUID();
      const dir = path(`turns-${token}`);
      mkdirSync(dir, { recursive: true });
      return {
        token,
        group: `repo/${token}`,
        inputHash: 'hash',
        argv: typeof command === 'string' ? ['/bin/sh', '-c', command] : command,
        cwd: root,
        env: { PATH: '/usr/bin:/bin' },
        stdin: null,
        dir,
        limits: { timeoutMs: 60_000, stallMs: null, killGraceMs: 300, outputBytes: 200_000_000 },
        ...overrides,
      };
    },
    close: async () => {
      const last = await connect();
      for (const { group } of await last.live()) {
        await last.endGroup(group, 'aborted');
      }
      const pid = lastGuard(home);
      await Promise.all(connections.map((connection) => connection.close()));
      await until(() => !lives(pid));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function hooks(overrides: Partial<RunHooks> = {}): RunHooks {
  return {
    prepare: async () => {},
    cancel: new AbortController().signal,
    detach: new AbortController().signal,
    ...overrides,
  };
}

/** False for a zombie too. */
export function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function lastGuard(home: string): number {
  const lines = readFileSync(join(home, 'guard.log'), 'utf8').trim().split('\n');
  const started = lines.map((line): unknown => JSON.parse(line)).filter(isStarted);
  return started.at(-1)?.guard ?? 0;
}

function isStarted(line: unknown): line is { guard: number } {
  return (
    typeof line === 'object' && line !== null && 'sentence' in line && line.sentence === 'started' && 'guard' in line
  );
}
