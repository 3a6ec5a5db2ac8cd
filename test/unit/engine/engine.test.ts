import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { socketFolder } from '../../../config/home/socket-folder.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { openControl } from '../../../worker/local-engine/control/control.js';
import { engineStatus, ensureEngine, restartWorker } from '../../../worker/local-engine/control/ensure-engine.js';
import { stopEngine } from '../../../worker/local-engine/control/stop-engine.js';
import { enginePaths } from '../../../worker/local-engine/state/engine-paths.js';
import { tryLock } from '../../../worker/local-engine/state/kernel-lock.js';
import { identify } from '../../../worker/local-engine/state/process-identity.js';
import { itWhere } from '../../support/it-where.js';
import { until } from '../../support/until.js';
import { aHome, POLLING_WORKER, type TestHome, untilReport } from './engine-fixture.js';

const NO_TURNS = { liveTurns: async () => 0, endTurns: async () => undefined };
const LIMIT_MS = 300_000;

let place: TestHome;
let onTestEnd: () => void;
beforeEach(() => {
  place = aHome();
  onTestEnd = () => undefined;
});
afterEach(async () => {
  onTestEnd();
  await place.remove();
}, LIMIT_MS);

/** Of an engine that is whole. Errors: plain Error where there is none. */
async function pidsOf(home: string): Promise<{ pid: number; serverPid: number; workerPid: number }> {
  const { pid, serverPid, workerPid } = await untilReport(
    home,
    (report) => report.serverPid !== null && report.workerPid !== null,
  );
  if (serverPid === null || workerPid === null) throw new Error('the engine lacks a process');
  return { pid, serverPid, workerPid };
}

async function isGone(pid: number | null): Promise<boolean> {
  return pid !== null && (await identify(pid)) === null;
}

describe('the local engine', () => {
  it(
    'starts server and worker once, says where they are, and is found by the next caller',
    async () => {
      expect(await engineStatus(place.home)).toBeNull();

      const first = await ensureEngine(place.options());
      const second = await ensureEngine(place.options());

      expect(first.started).toBe(true);
      expect(second).toEqual({ ...first, started: false });
      const state = join(place.home, 'engine.json');
      expect(statSync(state).mode & 0o777).toBe(0o600);
      const report = await engineStatus(place.home);
      expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
        address: first.address,
        server: { pid: report?.serverPid },
        worker: { pid: report?.workerPid },
      });
    },
    LIMIT_MS,
  );

  it(
    'ends with all that it owns once its home is removed',
    async () => {
      await ensureEngine(place.options());
      const { pid, serverPid, workerPid } = (await engineStatus(place.home)) ?? {};
      const socket = enginePaths(place.home).socket;

      rmSync(place.home, { recursive: true, maxRetries: 5 });

      for (const ended of [pid, serverPid, workerPid]) await until(async () => isGone(ended ?? null));
      expect(existsSync(socket)).toBe(false);
    },
    LIMIT_MS,
  );

  it(
    'keeps closed runs for a year and has the search attributes',
    async () => {
      const { address, binary } = await ensureEngine(place.options());
      const ask = (...args: string[]) =>
        execFileSync(binary, ['operator', ...args, '--address', address], { encoding: 'utf8' });

      expect(ask('namespace', 'describe', '-n', 'default')).toMatch(/Retention\S*\s+8760h/);
      expect(ask('search-attribute', 'list')).toMatch(/SluiceWaiting\s+Keyword/);
    },
    LIMIT_MS,
  );

  it(
    'is one engine when several callers start it at once',
    async () => {
      const all = await Promise.all([1, 2, 3, 4].map(() => ensureEngine(place.options())));

      expect(new Set(all.map(({ address }) => address)).size).toBe(1);
      const report = await engineStatus(place.home);
      const workers = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.endsWith(` ${join(dirname(place.home), 'worker.cjs')}`));
      expect(workers.map((line) => Number.parseInt(line, 10))).toEqual([report?.workerPid]);
    },
    LIMIT_MS,
  );

  it(
    'starts a server and a worker that were killed again, at the same address',
    async () => {
      const { address } = await ensureEngine(place.options());
      const before = await pidsOf(place.home);

      process.kill(before.serverPid, 'SIGKILL');
      process.kill(before.workerPid, 'SIGKILL');

      const after = await untilReport(
        place.home,
        (r) => r.serverRestarts === 1 && r.workerRestarts === 1 && r.serverPid !== null,
      );
      expect(after.address).toBe(address);
      expect(after.phase).toBe('up');
      expect([after.serverPid, after.workerPid]).not.toContain(before.serverPid);
    },
    LIMIT_MS,
  );

  it(
    'ends what a killed engine left behind before it starts anew',
    async () => {
      // A worker that does not notice the engine's end.
      const deaf = POLLING_WORKER.replace("process.stdin.on('end', () => process.exit(0));", '');
      await ensureEngine(place.options(deaf));
      const before = await pidsOf(place.home);
      process.kill(before.pid, 'SIGKILL');

      const again = await ensureEngine(place.options(deaf));

      expect(again.started).toBe(true);
      expect(await isGone(before.serverPid)).toBe(true);
      expect(await isGone(before.workerPid)).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'takes the next free port when its own is taken, and stays there with its Web UI when it is started again',
    async () => {
      const options = place.options();
      const wanted = options.ports?.server ?? 0;
      const other: Server = createServer().listen(wanted, '127.0.0.1');
      try {
        const { address, uiAddress } = await ensureEngine({ ...options, ui: true });
        expect(Number(address.split(':')[1])).toBeGreaterThan(wanted);
        other.close();
        await stopEngine(place.home, { now: true, liveTurns: async () => 0, endTurns: async () => undefined });

        expect(await ensureEngine({ ...options, ui: true })).toMatchObject({ started: true, address, uiAddress });
      } finally {
        other.close();
      }
    },
    LIMIT_MS,
  );

  it(
    'works on when its logs and its state file cannot be written for want of space',
    async () => {
      mkdirSync(join(place.home, 'logs'), { recursive: true });
      for (const name of ['worker', 'engine']) symlinkSync('/dev/full', join(place.home, `logs/${name}.log`));
      mkdirSync(join(place.home, 'engine.json'));

      await ensureEngine(place.options(`console.log('before'); ${POLLING_WORKER}`));

      expect((await engineStatus(place.home))?.phase).toBe('up');
    },
    LIMIT_MS,
  );

  it(
    'turns a log over that grows long while it is up',
    async () => {
      await ensureEngine(place.options());
      const log = join(place.home, 'logs/worker.log');

      appendFileSync(log, 'x'.repeat(1_000_001));

      await until(() => existsSync(`${log}.1`) && statSync(log).size === 0);
      expect(statSync(`${log}.1`).size).toBeGreaterThan(1_000_000);
    },
    LIMIT_MS,
  );

  it(
    'serves the Web UI only when asked, restarting for it',
    async () => {
      expect((await ensureEngine(place.options())).uiAddress).toBeNull();

      const { uiAddress } = await ensureEngine({ ...place.options(), ui: true });

      expect((await fetch(uiAddress ?? '')).status).toBe(200);
    },
    LIMIT_MS,
  );
});

describe('a start that fails', () => {
  it(
    'gives the last lines of the worker that ended, and leaves no process',
    async () => {
      const start = ensureEngine(place.options('console.error("no bundle here"); process.exit(7);'));

      await expect(start).rejects.toThrow(RefusedError);
      await expect(start).rejects.toThrow(/worker ended with exit code 7[\s\S]*no bundle here[\s\S]*sluice up/);
      expect(await engineStatus(place.home)).toBeNull();
      expect(existsSync(join(place.home, 'engine.json'))).toBe(false);
    },
    LIMIT_MS,
  );

  it('names a home that cannot be written', async () => {
    const file = join(place.home, '..', 'file');
    writeFileSync(file, '');

    await expect(ensureEngine({ ...place.options(), home: join(file, 'home') })).rejects.toThrow(
      /cannot be written[\s\S]*SLUICE_HOME/,
    );
  });

  it('does not use a socket folder that is a link to somewhere', async () => {
    const long = aHome('x'.repeat(120));
    const folder = socketFolder(long.home);
    symlinkSync(join(place.home, '..'), folder);
    try {
      await expect(ensureEngine(long.options())).rejects.toThrow(/private folder/);
    } finally {
      rmSync(folder);
      await long.remove();
    }
  });

  it('says so when another process keeps the lock of the home and no engine answers', async () => {
    mkdirSync(place.home);
    const lock = await tryLock(join(place.home, 'engine.lock'));
    onTestEnd = () => lock?.release();

    await expect(ensureEngine({ ...place.options(), patienceMs: 5000 })).rejects.toThrow(
      /Another process holds the engine's lock[\s\S]*engine\.lock[\s\S]*Nothing was started[\s\S]*fuser/,
    );
  });

  it(
    'reports a worker that dies again and again, and the next start tries afresh',
    async () => {
      await ensureEngine(place.options(`console.log('{"type":"ready"}'); setTimeout(() => process.exit(3), 30);`));

      const given = await untilReport(place.home, (report) => report.phase === 'failed');

      expect(given.error?.what).toMatch(/gave up: the worker ended with exit code 3/);
      expect(await ensureEngine(place.options())).toMatchObject({ started: true });
    },
    LIMIT_MS,
  );
});

describe('a home with a long path', () => {
  it(
    'gets its socket in a short private folder, where terminals of any TMPDIR meet',
    async () => {
      const long = aHome('y'.repeat(150));
      const usual = process.env['TMPDIR'];
      try {
        const first = await ensureEngine(long.options());
        process.env['TMPDIR'] = place.home;
        expect(await ensureEngine(long.options())).toEqual({ ...first, started: false });
        expect((await engineStatus(long.home))?.phase).toBe('up');
        expect(statSync(socketFolder(long.home)).mode & 0o777).toBe(0o700);
        expect(existsSync(join(long.home, 'engine.sock'))).toBe(false);
      } finally {
        await long.remove();
        rmSync(socketFolder(long.home), { recursive: true });
        if (usual === undefined) delete process.env['TMPDIR'];
        else process.env['TMPDIR'] = usual;
      }
    },
    LIMIT_MS,
  );
});

describe('a socket of another user', () => {
  itWhere(process.getuid?.() === 0, 'only root can give a socket to another user')(
    'is not the engine’s, whatever it answers',
    async () => {
      const { socket } = enginePaths(place.home);
      mkdirSync(place.home, { recursive: true });
      const server = createServer((client) => client.end('{"type":"drained"}\n')).listen(socket);
      onTestEnd = () => server.close();
      await once(server, 'listening');
      const own = await openControl(socket);
      chownSync(socket, 1, 1);
      const foreign = await openControl(socket);
      for (const control of [own, foreign]) control?.close();

      expect([own === null, foreign]).toEqual([false, null]);
    },
  );
});

describe('an engine that takes connections and answers nothing', () => {
  it('is waited for no longer than it may take, and said to be stopped', async () => {
    const { socket } = enginePaths(place.home);
    mkdirSync(place.home, { recursive: true });
    const taken: Socket[] = [];
    const server = createServer((client) => void taken.push(client)).listen(socket);
    onTestEnd = () => server.close();
    await once(server, 'listening');

    await expect(openControl(socket, 100)).rejects.toThrow(`took the connection to ${socket}, and answered nothing`);
    expect(taken).toHaveLength(1);
  });
});

describe('sluice down', () => {
  it(
    'waits for running turns without a worker, then ends server and engine',
    async () => {
      await ensureEngine(place.options());
      const before = await engineStatus(place.home);
      const seen: (number | null | undefined)[] = [];
      const turns = [2, 1, 0];

      const outcome = await stopEngine(place.home, {
        ...NO_TURNS,
        now: false,
        liveTurns: async () => {
          const report = await engineStatus(place.home);
          seen.push(report?.workerPid);
          expect(report?.serverPid).toBe(before?.serverPid);
          return turns.shift() ?? 0;
        },
      });

      expect(outcome).toEqual({ kind: 'stopped' });
      expect(seen).toEqual([null, null, null]);
      expect(await isGone(before?.serverPid ?? null)).toBe(true);
      expect(await isGone(before?.pid ?? null)).toBe(true);
      expect(await stopEngine(place.home, { ...NO_TURNS, now: false })).toEqual({ kind: 'not_running' });
    },
    LIMIT_MS,
  );

  it(
    'leaves nothing behind when it comes in the middle of a start',
    async () => {
      const start = ensureEngine(place.options('setInterval(() => {}, 1000);'));
      const outcome = start.catch((error: unknown) => error);
      const starting = await untilReport(place.home, (report) => report.workerPid !== null);

      expect(await stopEngine(place.home, { ...NO_TURNS, now: true })).toEqual({ kind: 'stopped' });

      expect(await outcome).toBeInstanceOf(RefusedError);
      expect(await isGone(starting.serverPid)).toBe(true);
      expect(await isGone(starting.workerPid)).toBe(true);
    },
    LIMIT_MS,
  );

  it.each([true, false])(
    'of a killed engine ends the server and the worker that it left, and says so (now: %s)',
    async (now) => {
      const deaf = POLLING_WORKER.replace("process.stdin.on('end', () => process.exit(0));", '');
      await ensureEngine(place.options(deaf));
      const before = await pidsOf(place.home);
      process.kill(before.pid, 'SIGKILL');
      let turns = 2;
      const liveTurns = async () => (now ? turns : turns--);
      const endTurns = async () => {
        expect(await isGone(before.workerPid)).toBe(true);
        turns = 0;
      };

      const outcome = await stopEngine(place.home, { now, liveTurns, endTurns });

      expect(outcome).toEqual({ kind: 'leftovers_ended', worker: true, server: true, turns: now ? 2 : 0 });
      expect(await isGone(before.serverPid)).toBe(true);
      expect(turns).toBeLessThanOrEqual(0);
      expect(await stopEngine(place.home, { ...NO_TURNS, now })).toEqual({ kind: 'not_running' });
    },
    LIMIT_MS,
  );

  it('does not say that no engine runs while somebody holds the lock', async () => {
    mkdirSync(place.home);
    const lock = await tryLock(join(place.home, 'engine.lock'));
    onTestEnd = () => lock?.release();

    await expect(stopEngine(place.home, { ...NO_TURNS, now: false, patienceMs: 300 })).rejects.toThrow(
      /holds the engine's lock/,
    );
  });

  it(
    'brings the worker back when it is interrupted',
    async () => {
      await ensureEngine(place.options());
      const interrupted = stopEngine(place.home, {
        ...NO_TURNS,
        now: false,
        liveTurns: async () => {
          throw new Error('interrupted');
        },
      });

      await expect(interrupted).rejects.toThrow('interrupted');
      expect((await untilReport(place.home, (report) => report.phase === 'up')).workerPid).not.toBeNull();
    },
    LIMIT_MS,
  );

  it(
    'stays without a worker for another who ends it too, and has one again once both are gone',
    async () => {
      await ensureEngine(place.options());
      const [first, second] = await Promise.all([
        openControl(enginePaths(place.home).socket),
        openControl(enginePaths(place.home).socket),
      ]);
      for (const one of [first, second]) one?.send({ type: 'drain', now: false });
      for (const one of [first, second]) await one?.next();

      first?.close();
      const pid = (await untilReport(place.home, () => true)).workerPid;
      second?.close();

      expect(pid).toBeNull();
      expect((await untilReport(place.home, (report) => report.phase === 'up')).workerPid).not.toBeNull();
    },
    LIMIT_MS,
  );

  it(
    'outlives who goes away before its answer',
    async () => {
      await ensureEngine(place.options());
      const before = await engineStatus(place.home);
      for (let times = 0; times < 20; times += 1) {
        const socket = connect(enginePaths(place.home).socket);
        await once(socket, 'connect');
        socket.write('{"type":"status"}\n'.repeat(50));
        socket.destroy();
      }

      expect(await engineStatus(place.home)).toMatchObject({ pid: before?.pid, phase: 'up' });
    },
    LIMIT_MS,
  );

  it(
    'leaves the server alone when only the worker is to be restarted',
    async () => {
      await ensureEngine(place.options());
      const before = await engineStatus(place.home);

      const after = await restartWorker(place.home, place.options().workerCommand);

      expect(after?.phase).toBe('up');
      expect(after?.serverPid).toBe(before?.serverPid);
      expect(after?.workerPid).not.toBe(before?.workerPid);
    },
    LIMIT_MS,
  );
});
