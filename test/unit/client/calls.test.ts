/** Calls over a socket: what comes through whole, what ends a call, and what a socket that is hung, foreign, gone or hostile costs. */
import { chownSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { callsOver, openCallLine } from '../../../client/calls/ask-calls.js';
import { ALIVE_EVERY_MS, BUILD, MAX_LINE_CHARS, nameBuild } from '../../../client/calls/call-lines.js';
import type { Calls } from '../../../client/calls/call-table.js';
import { serveCalls } from '../../../client/calls/serve-calls.js';
import { BUILT_ANEW } from '../../../config/system/error-code.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { itWhere } from '../../support/it-where.js';
import { until } from '../../support/until.js';

/** **Unit** ms. */
const SILENT_MS = 300;

let folder: string;
let path: string;
let server: Server | null;
let sockets: Socket[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-calls-'));
  path = join(folder, 'calls.sock');
  server = null;
  sockets = [];
});
afterEach(async () => {
  jest.useRealTimers();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  rmSync(folder, { recursive: true, force: true });
});

async function listen(take: (socket: Socket) => void): Promise<void> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    take(socket);
  });
  await new Promise<void>((resolve) => server?.listen(path, resolve));
}

const serving = (calls: Partial<Calls>) => listen((socket) => serveCalls(socket, async () => calls as Calls));
const never = () => Promise.reject(new Error('the SDK was asked'));
const pending = () => new Promise<never>(() => {});

async function asking(silentMs?: number, otherwise: () => Promise<Calls> = never): Promise<Calls> {
  const line = await openCallLine(path, silentMs);
  if (line === null) throw new Error('nobody says hello');
  return callsOver(line, otherwise);
}

/** Of a run on a host. */
const CLEAN = { hostId: 'host', run: { runId: 'shop-1', repoKey: '0123456789abcdef' }, giveUp: false };

const reasonOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe('a call over a socket', () => {
  it('says what build serves it, and answers what it is asked, texts with odd ends of lines too', async () => {
    const text = 'a\u2028b\u2029c\rd\n"'.repeat(100_000);
    await serving({
      pollers: async (queue) => ({ workflow: queue === undefined ? 1 : 2, activity: queue?.length ?? 0 }),
    });

    expect((await openCallLine(path))?.build).toBe(BUILD);
    const calls = await asking();

    expect(await calls.pollers()).toEqual({ workflow: 1, activity: 0 });
    expect(await calls.pollers(text)).toEqual({ workflow: 2, activity: text.length });
  });

  it('answers many at once, each by its own answer, in the order in which they are done', async () => {
    const waits: (() => void)[] = [];
    await serving({
      pollers: (queue) => new Promise((resolve) => waits.push(() => resolve({ workflow: Number(queue), activity: 0 }))),
    });
    const calls = await asking();

    const asked = Array.from({ length: 100 }, (_, index) => calls.pollers(String(index)));
    await until(() => waits.length === 100);
    for (const answer of waits.reverse()) answer();

    expect((await Promise.all(asked)).map(({ workflow }) => workflow)).toEqual(asked.map((_, index) => index));
  });

  it('carries an error with its name, fields and causes, and leaves out what is no data', async () => {
    const failure = Object.assign(new Error('refused'), {
      name: 'ApplicationFailure',
      type: 'BadInput',
      details: ['task', { what: 'w' }],
      failure: { encoded: 'x' },
    });
    const metadata = new Map();
    const outer = Object.assign(new Error('failed', { cause: failure }), {
      name: 'WorkflowFailedError',
      code: 7,
      metadata,
    });
    await serving({ cancel: () => Promise.reject(outer) });

    const error = await reasonOf((await asking()).cancel('shop-1'));

    expect(error).toMatchObject({ name: 'WorkflowFailedError', message: 'failed', code: 7, stack: outer.stack });
    expect((error as Error).cause).toMatchObject({
      name: 'ApplicationFailure',
      type: 'BadInput',
      details: ['task', { what: 'w' }],
    });
    expect(error).not.toHaveProperty('metadata');
    expect((error as Error).cause).not.toHaveProperty('failure');
  });

  it('carries a refusal as one, with its parts and the exit code', async () => {
    const parts = { what: 'a', why: 'b', now: 'c', mend: 'd' };
    await serving({ cancel: () => Promise.reject(new RefusedError(parts, { exitCode: 3 })) });

    const error = await reasonOf((await asking()).cancel('shop-1'));

    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({ parts, exitCode: 3 });
  });

  it('ends where it is made as soon as whoever asked stops it', async () => {
    const ended: unknown[] = [];
    await serving({
      result: (_, stop) =>
        new Promise((_resolve, reject) => stop?.addEventListener('abort', () => reject(ended.push('result')))),
      serverVersion: async () => 'alive',
    });
    const stop = new AbortController();
    const calls = await asking();
    const asked = reasonOf(calls.result('shop-1', stop.signal));
    await calls.serverVersion();

    stop.abort(new Error('SIGINT'));

    expect(await asked).toMatchObject({ message: 'SIGINT' });
    await until(() => ended.length === 1);
    expect(await calls.serverVersion()).toBe('alive');
  });

  it('ends where it is made when whoever asked dies', async () => {
    const ended: unknown[] = [];
    await serving({
      result: (_, stop) => new Promise(() => stop?.addEventListener('abort', () => ended.push('result'))),
      serverVersion: async () => '',
    });
    const line = await openCallLine(path);
    void line?.ask('result', ['shop-1'], undefined).catch(() => {});
    await line?.ask('serverVersion', [], undefined);

    line?.close();

    await until(() => ended.length === 1);
  });

  it('is waited for as long as whole lines come', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'setInterval', 'queueMicrotask', 'performance'] });
    await serving({ serverVersion: async () => 'alive', result: pending });
    const calls = await asking();
    void calls.result('shop-1').catch(() => {});

    for (let step = 0; step < 3; step += 1) {
      expect(await calls.serverVersion()).toBe('alive');
      jest.advanceTimersByTime(2 * ALIVE_EVERY_MS);
    }
  });

  it.each<readonly [string, (calls: Calls) => Promise<unknown>]>([
    ['startRun', (calls) => calls.startRun({ runId: 'shop-1', input: { task: 't', repo: '/r' } })],
    [
      'startBatch',
      (calls) =>
        calls.startBatch({
          workflowId: 'batch:b',
          input: { tasks: [{ task: 't' }], concurrency: 1 },
          searchAttributes: false,
        }),
    ],
    ['cleanRun', (calls) => calls.cleanRun({ input: CLEAN }, new AbortController().signal)],
    ['send', (calls) => calls.send('shop-1', { name: 'pause', argument: {} })],
  ])('%s is made again elsewhere under its request id when whoever makes it dies', async (name, ask) => {
    const seen: unknown[][] = [];
    const cut = (...data: unknown[]) => {
      seen.push(data);
      for (const socket of sockets) socket.destroy();
      return pending();
    };
    await serving({ [name]: cut });
    const instead = { [name]: async (...data: unknown[]) => seen.push(data) } as unknown as Calls;

    await ask(await asking(undefined, async () => instead));

    const bearers = seen.map((data) => data.find((value) => value instanceof Object && 'requestId' in value));
    expect(bearers).toHaveLength(2);
    expect(bearers[0]).toMatchObject({ requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(bearers[1]).toEqual(bearers[0]);
  });

  it('that changes something is not known to have arrived where a part of the program is gone that would make it again', async () => {
    const die = () => {
      for (const socket of sockets) socket.destroy();
      return pending();
    };
    await serving({ send: die });
    const gone = Object.assign(new Error('it was built anew'), { code: BUILT_ANEW });
    const calls = await asking(undefined, () => Promise.reject(gone));

    const heard = await reasonOf(calls.send('shop-1', { name: 'pause', argument: {} }));

    expect(heard).toMatchObject({ parts: { what: gone.message, now: 'Whether it arrived is not known.' } });
    expect(await reasonOf(calls.serverVersion())).toBe(gone);
  });
});

describe('the name of a build', () => {
  it('is another for another place, another time and another text of the worker, and one where there is none', () => {
    const builds = ['a', 'b'].map((name) => join(folder, `${name}.js`));
    const [own = '', other = ''] = builds;
    const written = (text: string, seconds: number) => {
      for (const path of builds) {
        writeFileSync(path, text);
        utimesSync(path, seconds, seconds);
      }
      return nameBuild(own);
    };
    const names = [written('one', 1), written('two', 1), written('two', 2), nameBuild(other)];

    expect(new Set([...names, nameBuild(join(folder, 'none.js'))]).size).toBe(5);
    expect(written('two', 2)).toBe(names[2]);
    expect(nameBuild(join(folder, 'none.js'))).toMatch(/none\.js not built$/);
  });
});

describe('a calls socket where nobody of ours answers', () => {
  const HELLO = `${JSON.stringify({ type: 'hello', build: BUILD })}\n`;

  it.each([
    ['is not there', null],
    ['takes the connection and says nothing', () => {}],
    ['says half a line and never its end', (socket: Socket) => socket.write(HELLO.slice(0, -1))],
    [
      'trickles a line without end',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('x'), 100);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    ['speaks no JSON', (socket: Socket) => socket.write('HTTP/1.1 400 Bad Request\n\n')],
    ['closes at once', (socket: Socket) => socket.destroy()],
  ] as const)('counts as none when it %s', async (_, take) => {
    if (take !== null) await listen(take);

    expect(await openCallLine(path, SILENT_MS)).toBeNull();
  });

  itWhere(process.getuid?.() === 0, 'only root can give a socket to another user')(
    'counts as none when it is of another user',
    async () => {
      await serving({});
      chownSync(path, 1, 1);

      expect(await openCallLine(path)).toBeNull();
    },
  );

  it.each([
    ['says nothing more', (socket: Socket) => socket.write(HELLO)],
    ['answers in half a line', (socket: Socket) => socket.write(`${HELLO}{"type":"answer","id":1`)],
    [
      'answers a call that nobody made',
      (socket: Socket) => socket.write(`${HELLO}{"type":"answer","id":9}\n{"type":"new"}\n`),
    ],
    [
      'answers in a line without end',
      (socket: Socket) => {
        socket.write(HELLO);
        socket.once('data', () => socket.write('x'.repeat(MAX_LINE_CHARS + 1)));
      },
    ],
  ])('is given up, and the call made elsewhere, when it says hello and then %s', async (_, take) => {
    await listen(take);
    const calls = await asking(SILENT_MS, async () => ({ serverVersion: async () => 'by the SDK' }) as Calls);

    expect(await calls.serverVersion()).toBe('by the SDK');
    expect(await calls.serverVersion()).toBe('by the SDK');
  });
});

describe('whoever talks to a calls socket as no command line does', () => {
  const CALL = { id: 1, name: 'serverVersion', data: [] };
  const line = (value: unknown) => `${JSON.stringify(value)}\n`;

  it.each([
    ['a line without end', 'x'.repeat(MAX_LINE_CHARS + 1)],
    ['what is no JSON', 'GET / HTTP/1.1\n'],
    ['a call that is none', line({ ...CALL, name: 'constructor' })],
    ['a call without data', line({ ...CALL, data: null })],
    ['a call without a number', line({ ...CALL, id: '1' })],
    [
      'more calls at once than a list of runs makes',
      Array.from({ length: 300 }, (_, id) => line({ ...CALL, id, name: 'result' })).join(''),
    ],
  ])('loses the connection for %s, and nobody else does', async (_, text) => {
    await serving({ serverVersion: async () => 'alive', result: pending });
    const calls = await asking();
    const hostile = await openRaw();

    hostile.write(text);

    await until(() => hostile.destroyed);
    expect(await calls.serverVersion()).toBe('alive');
  });

  it('loses the connection when it reads no answer', async () => {
    await serving({ serverVersion: async () => 'x'.repeat(MAX_LINE_CHARS / 2) });
    const hostile = await openRaw();
    hostile.pause();

    for (let id = 0; id < 8; id += 1) hostile.write(line({ ...CALL, id }));

    await until(() => sockets.every(({ destroyed }) => destroyed));
  });
});

async function openRaw(): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.resume();
  return socket;
}
