/**
 * A person's machine for tests of the built command line: a home directory, a sluice home, ports and a temp directory of its own.
 * The local engine is the real one. `close` brings it down and removes the folder; nothing outside the folder is written.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CliRepository, makeCliRepository } from './cli-repository.js';
import { until } from './until.js';

/** Made by the build, which every way to run the tests does first. */
export const CLI = fileURLToPath(new URL('../../dist/programs/cli.js', import.meta.url));

export interface CliOptions {
  readonly cwd?: string;
  /** Added to the world's environment; undefined takes a name away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** The input stays open: the test types what is asked for. */
  readonly isTyped?: boolean;
}

export interface CliResult {
  /** The exit code; null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly process: ChildProcess;
  readonly done: Promise<CliResult>;
  /** Resolves when the text was printed, on either stream. Errors: plain Error when the process ends first. */
  prints(text: string): Promise<void>;
}

export interface CliWorld {
  readonly folder: string;
  readonly home: string;
  /** HOME of the person. */
  readonly person: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `sluice` to its end. */
  sluice(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  start(args: readonly string[], options?: CliOptions): CliProcess;
  /** Any other program in the same environment. */
  program(command: readonly [string, ...string[]], options?: CliOptions): CliProcess;
  repository(name?: string): CliRepository;
  /** An executable below the folder; a shell script. Answers its path. */
  script(name: string, body: string): string;
  /** Pids of everything that this home started and that lives. */
  living(): readonly number[];
  /** SIGKILL to all of them, until none is left: engine, server, workers, guards. */
  killAll(): Promise<void>;
  close(): Promise<void>;
}

export function openCliWorld(): CliWorld {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-e2e-')));
  const home = join(folder, 'home');
  const person = join(folder, 'person');
  for (const name of ['person/.config/sluice', 'tmp', 'bin']) mkdirSync(join(folder, name), { recursive: true });
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  writeFileSync(
    join(person, '.config/sluice/config.yaml'),
    `engine:\n  ports: { server: ${port}, ui: ${port + 200} }\n`,
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: person,
    SLUICE_HOME: home,
    TMPDIR: join(folder, 'tmp'),
    SLUICE_TEMPORAL_CLI: process.env['SLUICE_TEMPORAL_CLI'] ?? '',
    SLUICE_TEMPORAL_DOWNLOAD: 'off',
  };
  const program = (command: readonly [string, ...string[]], options: CliOptions = {}) =>
    spawnProgram(command, { cwd: folder, ...options, env: { ...env, ...options.env } });
  const start = (args: readonly string[], options?: CliOptions) => program([process.execPath, CLI, ...args], options);
  return {
    folder,
    home,
    person,
    env,
    program,
    start,
    sluice: (args, options) => start(args, options).done,
    repository: (name = 'repository') => makeCliRepository(join(folder, name)),
    script(name, body) {
      const path = join(folder, 'bin', name);
      writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
      return path;
    },
    living: () => livingWith(folder),
    killAll: () => until(() => endAll(folder)),
    async close() {
      if (existsSync(home)) await start(['down', '--now']).done;
      // The guard, idle and alone, would end itself some seconds later; and a child may write while the folder is removed.
      await until(() => endAll(folder) && removed(folder));
    },
  };
}

export function spawnProgram(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, input, isTyped = false }: CliOptions,
): CliProcess {
  const child = spawn(program, args, {
    cwd,
    env: Object.fromEntries(Object.entries(env ?? {}).filter(([, value]) => value !== undefined)),
    stdio: [input === undefined && !isTyped ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined);
  if (!isTyped) child.stdin?.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const done = new Promise<CliResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  const prints = async (text: string) => {
    const has = () => stdout.includes(text) || stderr.includes(text);
    await until(() => has() || child.exitCode !== null || child.signalCode !== null);
    if (!has()) throw new Error(`it ended without "${text}":\n${stdout}${stderr}`);
  };
  return { process: child, done, prints };
}

/** Reads the environment of every process: Linux only. The test's own processes do not carry the folder. */
function livingWith(folder: string): readonly number[] {
  return processes().filter((pid) => read(`/proc/${pid}/environ`).includes(`=${folder}/`));
}

/** A guard has no environment. */
function guardsOf(folder: string): readonly number[] {
  return processes().filter(
    (pid) => read(`/proc/${pid}/environ`) === '' && read(`/proc/${pid}/cmdline`).includes(`${folder}/`),
  );
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number);
}

function removed(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether none is left: a process that forks at this very moment is not seen yet. */
function endAll(folder: string): boolean {
  for (const pid of [...livingWith(folder), ...guardsOf(folder)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return livingWith(folder).length === 0 && guardsOf(folder).length === 0;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Every line of `--json` as an object. Errors: SyntaxError for a line that is none. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function canDropRoot(): boolean {
  return (
    process.getuid?.() === 0 && execFileSync('sh', ['-c', 'command -v setpriv || true'], { encoding: 'utf8' }) !== ''
  );
}
