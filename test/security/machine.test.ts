/**
 * What surrounds a local engine at work: another user of the machine, a web page in the person's browser, ports, and signals. One engine, started by a
 * person whose umask is 000 in a home that was open to everybody, with its Web UI; one run that waits at a gate.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_AGENT } from '../support/cli-repository.js';
import { CLI, type CliWorld, canDropRoot, jsonLines, openCliWorld } from '../support/cli-world.js';
import { itWhere } from '../support/it-where.js';
import { until } from '../support/until.js';

const LIMIT_MS = 300_000;
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'] as const;

const RUN_ID = 'of-another-user';

let world: CliWorld;
let repository: ReturnType<CliWorld['repository']>;

let engine: {
  address: string;
  uiAddress: string;
  engine: { pid: number };
  server: { pid: number };
  worker: { pid: number };
};

beforeAll(async () => {
  world = openCliWorld();
  chmodSync(world.folder, 0o755);
  mkdirSync(world.home, { mode: 0o777 });
  chmodSync(world.home, 0o777);
  repository = world.repository();
  const agent = world.script('agent', GOOD_AGENT);
  const config = `version: 1\nagent: good\nagents:\n  good:\n    adapter: command\n    command: [${JSON.stringify(agent)}]\ngates:\n  stages: [reviewing]\n`;
  repository.write('.sluice/config.yaml', config);
  repository.git('add', '-A');
  repository.git('commit', '-q', '-m', 'config');
  const open = async (...args: readonly string[]) => {
    const line = ['umask 000; exec "$@"', 'sh', process.execPath, CLI, ...args] as const;
    const { code, stdout, stderr } = await world.program(['sh', '-c', ...line], { cwd: repository.path }).done;
    if (code !== 0) throw new Error(`sluice ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  await open('up', '--ui');
  await open('trust');
  const started = world.start(['run', 'change a.txt', '--json', '--run-id', RUN_ID], { cwd: repository.path });
  const state = join(repository.path, '.sluice/runs', RUN_ID, 'state.json');
  await until(() => existsSync(state) && readFileSync(state, 'utf8').includes('waiting'));
  started.process.kill('SIGINT');
  await started.done;
  engine = JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')) as typeof engine;
}, LIMIT_MS);
afterAll(() => world.close(), LIMIT_MS);

const asUser = itWhere(canDropRoot(), 'the test cannot drop root by setpriv');

/** What a program of another user says, and its exit code. */
async function asNobody(
  ...command: readonly string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return world.program(['setpriv', ...NOBODY, ...command], { cwd: '/', env: { HOME: '/nonexistent' } }).done;
}

/** Local addresses of the listening TCP sockets of these processes, as the kernel writes them (little-endian hex). */
function listening(pids: readonly number[]): readonly { host: string; port: number }[] {
  const inodes = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
        } catch {
          return [];
        }
      }),
    ),
  );
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode = '']) => state === '0A' && inodes.has(inode))
      .map(([, local = '']) => ({
        host: local.split(':')[0] ?? '',
        port: Number.parseInt(local.split(':')[1] ?? '', 16),
      })),
  );
}

/** Last byte first: 0100007F is 127.0.0.1. */
function dotted(host: string): string {
  return (host.match(/../g) ?? [])
    .map((byte) => Number.parseInt(byte, 16))
    .toReversed()
    .join('.');
}

interface Asked {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: 'POST' | 'GET';
}

/** The status that a browser would get; `no http` where the answer is none. */
function ask({ host, port, path, headers, method = 'POST' }: Asked): Promise<number | 'no http'> {
  return new Promise((resolve) => {
    const sent = request({ host, port, path, method, headers, timeout: 10_000 }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 'no http'));
      answer.on('error', () => resolve('no http'));
    });
    sent.on('error', () => resolve('no http'));
    sent.on('timeout', () => sent.destroy());
    sent.end(method === 'POST' ? '{"reason":"a web page"}' : undefined);
  });
}

describe('another user of the machine', () => {
  asUser('reads nothing below the home, also where the umask is 000 and the home was open', async () => {
    const open = await asNobody(
      'find',
      world.home,
      `${repository.path}/.sluice/runs`,
      '-readable',
      '-not',
      '-type',
      'l',
    );
    const files = ['trust.json', 'temporal.db', 'engine.json', 'guard.log', 'host-id', 'logs/worker.log'].map((name) =>
      join(world.home, name),
    );
    const read = await asNobody('cat', ...files);

    expect(open.stdout).toBe('');
    expect(read.stdout).toBe('');
    expect(read.stderr.match(/Permission denied/g)).toHaveLength(files.length);
    expect(statSync(world.home).mode & 0o777).toBe(0o700);
    // Also where somebody opened the home again: what holds secrets is closed by itself.
    for (const file of files) expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
    expect((await asNobody('cat', `${repository.path}/a.txt`)).stdout).toBe('one\n');
  });

  asUser('cannot connect to the sockets of engine and guard', async () => {
    const sockets = readdirSync(world.home).filter((name) => name.endsWith('.sock'));
    const script =
      'require("net").connect(process.argv[1]).on("connect", () => console.log("connected")).on("error", (e) => console.log(e.code))';
    const said = await Promise.all(
      sockets.map((name) => asNobody(process.execPath, '-e', script, join(world.home, name))),
    );

    expect(sockets).toContain('engine.sock');
    expect(said.map(({ stdout }) => stdout)).toEqual(sockets.map(() => 'EACCES\n'));
  });

  asUser('reaches the port of the server, for loopback TCP knows no users, and could decide there', async () => {
    const shown = await asNobody(
      world.env['SLUICE_TEMPORAL_CLI'] ?? '',
      'workflow',
      'describe',
      '--address',
      engine.address,
      '-w',
      RUN_ID,
    );

    expect(shown.stdout).toContain(RUN_ID);
  });
});

describe('a web page in a browser on this machine', () => {
  const paths = () => [
    `/api/v1/namespaces/default/workflows/${RUN_ID}/terminate`,
    `/api/v1/namespaces/default/workflows/${RUN_ID}/signal/approve`,
    '/temporal.api.workflowservice.v1.WorkflowService/TerminateWorkflowExecution',
  ];
  /** Without a preflight a page may send these; its own host name it can point at 127.0.0.1 (DNS rebinding). */
  const headers = (port: number) =>
    ['evil.example', 'localhost', `127.0.0.1:${port}`, 'sluice.invalid.evil.example'].flatMap((host) =>
      ['text/plain', 'application/x-www-form-urlencoded', 'application/json', 'application/grpc-web+proto'].map(
        (type) => ({
          host,
          origin: 'http://evil.example',
          'content-type': type,
        }),
      ),
    );

  it('finds no port that takes a request of it, whatever host name and content type it sends', async () => {
    const ports = listening([engine.server.pid]).filter(({ host }) => dotted(host) === '127.0.0.1');
    const asked = ports.flatMap(({ port }) =>
      headers(port).flatMap((sent) => paths().map((path) => ({ host: '127.0.0.1', port, path, headers: sent }))),
    );
    const answers = await Promise.all(asked.map(ask));

    expect(ports.length).toBeGreaterThan(2);
    expect(answers.filter((status) => status !== 'no http' && status < 300)).toEqual([]);
    expect((await world.sluice(['status', RUN_ID, '--json'], { cwd: repository.path })).stdout).toContain('waiting');
  });

  it('does not find the Web UI on 127.0.0.1, and its POST there is refused for want of a token', async () => {
    const { hostname, port } = new URL(engine.uiAddress);
    const headers = { host: 'evil.example', origin: 'http://evil.example', 'content-type': 'text/plain' };

    expect(hostname).toMatch(/^127\./);
    expect(hostname).not.toBe('127.0.0.1');
    expect(await ask({ host: '127.0.0.1', port: Number(port), path: '/', headers, method: 'GET' })).toBe('no http');
    for (const path of paths().slice(0, 2))
      expect([path, await ask({ host: hostname, port: Number(port), path, headers })]).toEqual([path, 400]);
  });
});

describe('the engine', () => {
  it('listens on loopback only: server, Web UI, metrics and what the parts of the server tell one another; worker and engine listen nowhere', () => {
    const ports = listening([engine.server.pid]);

    expect(ports.length).toBeGreaterThan(3);
    expect(ports.map(({ host }) => dotted(host)).filter((host) => !host.startsWith('127.'))).toEqual([]);
    expect(listening([engine.engine.pid, engine.worker.pid])).toEqual([]);
  });

  it('goes on after HUP and PIPE, and answers again after it was stopped for a while', async () => {
    for (const signal of ['SIGHUP', 'SIGPIPE', 'SIGSTOP', 'SIGCONT'] as const) process.kill(engine.engine.pid, signal);

    const { code, stdout } = await world.sluice(['up', '--json']);

    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ address: engine.address, started: false });
    expect(JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8'))).toMatchObject({
      engine: { pid: engine.engine.pid },
    });
  });

  it('takes garbage on its socket for nothing, ends a line that never ends, and answers the next caller', async () => {
    const socket = connect(join(world.home, 'engine.sock'));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.write('garbage\n{"type":"nothing"}\n[]\nnull\n');
    const block = Buffer.alloc(1_000_000, 'x');
    let sent = 0;
    const flood = () => {
      while (!socket.destroyed && socket.write(block)) sent += block.length;
    };
    socket.on('drain', flood);
    flood();
    await closed;

    expect(sent).toBeLessThan(50_000_000);
    expect((await world.sluice(['up', '--json'])).code).toBe(0);
    expect(JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8'))).toMatchObject({
      engine: { pid: engine.engine.pid },
    });
  });
});
