/** A run whose commands are put into real sandboxes by a real guard, and what a hostile one would look for around it. */
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { openValidationCheckout } from '../../../activities/git/run/validation-checkout.js';
import type { CommandSpec, ExitRecord, Processes, RunHooks } from '../../../activities/process/contract.js';
import { connectProcesses } from '../../../activities/process/processes.js';
import { enterSandbox } from '../../../activities/sandbox/enter-sandbox.js';
import { locateRun, type RunOnHost } from '../../../activities/unit/run-record.js';
import { resolveProgram } from '../../../config/system/resolve-program.js';
import type { AgentConfig, SandboxPolicy } from '../../../protocol/run/policy.js';
import { until } from '../../support/until.js';
import { tempFolder } from '../git/repository-fixture.js';
import { type CopiedGuard, hooks, lives } from '../process/guarded-home.js';
import { openHost } from '../run/opened-host.js';

export interface SandboxedHost {
  readonly run: RunOnHost;
  /** The sluice home. */
  readonly home: string;
  /** Of the person: HOME. */
  readonly person: string;
  readonly repository: string;
  readonly worktree: string;
  readonly processes: Processes;
  connect(): Promise<Processes>;
  /** A line for `sh -c`, with what it needs to be started and awaited. */
  enter(line: string, options?: EnterOptions): Entering;
  /** To its end, with what it said. */
  inside(line: string, options?: EnterOptions): Promise<Ended>;
  /** The engine's own checkout, at the commit that the run starts from. */
  validationCheckout(): Promise<{ readonly checkout: string }>;
  /** A server on the host's loopback that answers `hello`; its port. */
  listen(): Promise<number>;
  guardPid(): number;
  close(): Promise<void>;
}

export interface EnterOptions {
  readonly cwd?: string;
  /** Instead of a shell with the line. */
  readonly argv?: readonly [string, ...string[]];
  readonly agent?: AgentConfig;
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<CommandSpec['limits']>;
  /** What the command is given to read. */
  readonly prompt?: string;
}

export interface Entering {
  readonly spec: CommandSpec;
  readonly hooks: RunHooks;
}

export interface Ended {
  readonly exit: ExitRecord;
  readonly dir: string;
  readonly stdout: string;
  readonly stderr: string;
}

export const AGENT: AgentConfig = {
  adapter: 'command',
  command: ['robot'],
  args: [],
  env: {},
  model: null,
  fallback: null,
  home: ['.robot'],
};

export async function openSandboxedHost(
  guard: CopiedGuard,
  sandbox: Partial<SandboxPolicy> = {},
): Promise<SandboxedHost> {
  const policy: SandboxPolicy = { use: 'required', network: 'proxy', allow: [], home: [], ...sandbox };
  const opened = await openHost({ files: { 'a.txt': 'one\n' }, policy: { sandbox: policy } });
  const { deps } = opened;
  const found = resolveProgram('bwrap', { path: process.env['PATH'] ?? '', forbidden: [] });
  const bwrap = found.kind === 'found' ? found.path : '/nowhere/bwrap';
  const run = locateRun(deps.home, { ...opened.run.record, sandbox: { kind: 'inside', bwrap } });
  const { worktree, repository } = run.record;
  const person = join(tempFolder(), 'ada');
  for (const name of ['.robot', '.ssh', '.config/gh']) mkdirSync(join(person, name), { recursive: true });
  for (const name of ['.ssh/id_rsa', '.config/gh/hosts.yml', '.robot/login'])
    writeFileSync(join(person, name), `secret of ${name}\n`);
  execFileSync('git', [
    '-C',
    repository.root,
    'config',
    'remote.origin.url',
    'https://token-of-ada@forge.example/x.git',
  ]);
  const connections: Processes[] = [];
  const servers: Server[] = [];
  const home = deps.home.root;
  const connect = async () => {
    const made = await connectProcesses({
      home,
      orphanGraceMs: 60_000,
      durability: 'process',
      idleGraceMs: 300,
      guardMain: guard.main,
    });
    connections.push(made);
    return made;
  };
  const processes = await connect();
  const enter = (line: string, options: EnterOptions = {}): Entering => {
    const token = randomUUID();
    const dir = join(run.stateDir, 'turns', `1-${token}`);
    mkdirSync(dir, { recursive: true });
    const env = { PATH: process.env['PATH'] ?? '', HOME: person, ...options.env };
    const cwd = options.cwd ?? worktree;
    const argv = options.argv ?? (['/bin/sh', '-c', line] as const);
    const entered = enterSandbox(
      { home: deps.home, durability: 'process', sandboxPrograms: guard.sandbox },
      { workplace: run.workplace, argv, env, cwd, dir, agent: options.agent ?? null },
    );
    const stdin = options.prompt === undefined ? null : join(dir, 'prompt.md');
    if (stdin !== null) writeFileSync(stdin, options.prompt ?? '');
    const limits = { timeoutMs: 60_000, stallMs: null, killGraceMs: 2000, outputBytes: 10_000_000, ...options.limits };
    return {
      spec: { token, group: `repo/${token}`, inputHash: 'hash', argv: entered.argv, cwd, env, stdin, dir, limits },
      hooks: hooks({ prepare: entered.prepare }),
    };
  };
  return {
    run,
    home,
    person,
    repository: repository.root,
    worktree,
    processes,
    connect,
    enter,
    async inside(line, options) {
      const entering = enter(line, options);
      const end = await processes.run(entering.spec, entering.hooks);
      if (end.kind !== 'ended') throw new Error(`the command came to no end: ${end.kind}`);
      return endedOf(end.exit, entering.spec.dir);
    },
    async validationCheckout() {
      const path = deps.home.validationWorktree(run.record.repoKey, run.record.runId);
      const gitDir = join(run.stateDir, 'validation.git');
      const made = await openValidationCheckout({
        repository,
        path,
        gitDir,
        owner: 'chain-1',
        snapshotOf: join(run.stateDir, 'git'),
      });
      await made.moveTo(run.record.baseSha);
      return { checkout: path };
    },
    async listen() {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello'));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    },
    guardPid: () => guardOf(home),
    async close() {
      const last = await connect();
      for (const { group } of await last.live()) await last.endGroup(group, 'aborted');
      const pid = guardOf(home);
      for (const server of servers) server.close();
      await Promise.all(connections.map((connection) => connection.close()));
      await until(() => !lives(pid));
    },
  };
}

export function endedOf(exit: ExitRecord, dir: string): Ended {
  return { exit, dir, stdout: readFileSync(exit.stdout, 'utf8'), stderr: readFileSync(exit.stderr, 'utf8') };
}

/** Processes whose command line has a text that nothing else has. */
export function livingWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text) && lives(Number(pid));
      } catch {
        return false;
      }
    });
}

/** The outer program as another user, who owns what the command works with. */
export async function runAsUser(
  uid: number,
  host: SandboxedHost,
  programs: CopiedGuard['sandbox'],
  line: string,
  stdio: readonly (number | 'pipe' | 'ignore')[] = ['ignore', 'pipe', 'pipe'],
): Promise<{ code: number | null; output: string }> {
  // Of root's PATH that user may not even look into some.
  const { spec, hooks: asked } = host.enter(line, {
    agent: AGENT,
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  await asked.prepare();
  for (const folder of [join(host.home, '..'), join(host.person, '..'), join(host.repository, '..')])
    giveTo(uid, folder);
  const args = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', process.execPath, programs.main, spec.dir];
  const child = spawn('setpriv', args, { env: { ...spec.env }, cwd: '/', stdio: [...stdio] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  // With more than these two streams `close` would wait for what nobody writes.
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  for (const stream of child.stdio.slice(3)) stream?.destroy();
  for (const stream of [child.stdout, child.stderr]) if (stream !== null && !stream.closed) await once(stream, 'close');
  return { code, output };
}

function giveTo(uid: number, folder: string): void {
  execFileSync('chown', ['-R', '-h', `${uid}:${uid}`, folder]);
  chownSync(folder, uid, uid);
}

function guardOf(home: string): number {
  const lines = readFileSync(join(home, 'guard.log'), 'utf8').trim().split('\n');
  const started = lines
    .map((line) => JSON.parse(line) as { sentence?: string; guard?: number })
    .filter(({ sentence }) => sentence === 'started');
  return started.at(-1)?.guard ?? 0;
}
