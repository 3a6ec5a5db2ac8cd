/** A local engine that is killed, or asked for something else, at a moment at which it is half done. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { engineStatus, ensureEngine, restartWorker } from '../../../worker/local-engine/control/ensure-engine.js';
import { stopEngine } from '../../../worker/local-engine/control/stop-engine.js';
import { findServerBinary } from '../../../worker/local-engine/server-binary/find-server-binary.js';
import { identify } from '../../../worker/local-engine/state/process-identity.js';
import { aHome, POLLING_WORKER, type TestHome, untilReport } from './engine-fixture.js';

const NO_TURNS = { liveTurns: async () => 0, endTurns: async () => undefined };
const LIMIT_MS = 300_000;

const places: TestHome[] = [];
function aPlace(below = ''): TestHome {
  const place = aHome(below);
  places.push(place);
  return place;
}
afterEach(async () => {
  jest.restoreAllMocks();
  for (const place of places.splice(0)) await place.remove();
}, LIMIT_MS);

describe('the database of a home', () => {
  it(
    'lies in it whatever the path holds, and is the one of the next start too',
    async () => {
      const place = aPlace('c#?x=%41');
      await ensureEngine(place.options());
      await stopEngine(place.home, { ...NO_TURNS, now: true });

      expect(await ensureEngine(place.options())).toMatchObject({ started: true });

      expect(existsSync(join(place.home, 'temporal.db'))).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'is made anew where the first start was cut short while the server made its tables',
    async () => {
      const place = aPlace();
      const { path } = await findServerBinary();
      mkdirSync(dirname(place.home), { recursive: true });
      const program = join(dirname(place.home), 'temporal');
      const once = join(dirname(place.home), 'once');
      const shell = [
        '#!/bin/sh',
        `if [ "$2" = start-dev ] && mkdir ${once} 2>/dev/null; then : > temporal.db; kill -9 $$; fi`,
        `exec ${path} "$@"`,
      ];
      writeFileSync(program, `${shell.join('\n')}\n`, { mode: 0o755 });
      jest.replaceProperty(process, 'env', { ...process.env, SLUICE_TEMPORAL_CLI: program });
      await expect(ensureEngine(place.options())).rejects.toThrow(
        'the server was ended by SIGKILL before it was ready',
      );

      expect(await ensureEngine(place.options())).toMatchObject({ started: true });

      expect(existsSync(join(place.home, 'temporal.db.making'))).toBe(false);
    },
    LIMIT_MS,
  );
});

describe('sluice down', () => {
  it(
    'ends what an engine leaves that is killed while it waits for a turn',
    async () => {
      const place = aPlace();
      await ensureEngine(place.options());
      const { pid, serverPid } = await untilReport(place.home, (report) => report.serverPid !== null);
      let asked = 0;

      const outcome = await stopEngine(place.home, {
        ...NO_TURNS,
        now: false,
        liveTurns: async () => {
          asked += 1;
          if (asked === 1) process.kill(pid, 'SIGKILL');
          return 0;
        },
      });

      expect(outcome).toEqual({ kind: 'leftovers_ended', worker: false, server: true, turns: 0 });
      expect(await identify(serverPid ?? 0)).toBeNull();
    },
    LIMIT_MS,
  );

  it(
    'waits for turns without a worker where it comes during the start, which brings one back when it is interrupted',
    async () => {
      const place = aPlace();
      const late = `setTimeout(() => { ${POLLING_WORKER} }, 2000);`;
      const start = ensureEngine(place.options(late));
      await untilReport(place.home, (report) => report.workerPid !== null);
      const seen: (number | null | undefined)[] = [];

      const interrupted = stopEngine(place.home, {
        ...NO_TURNS,
        now: false,
        liveTurns: async () => {
          seen.push((await engineStatus(place.home))?.workerPid);
          if (seen.length === 8) throw new Error('interrupted');
          return 1;
        },
      });

      await expect(interrupted).rejects.toThrow('interrupted');
      expect(seen).toEqual(Array.from({ length: 8 }, () => null));
      expect(await start).toMatchObject({ started: true });
      expect((await untilReport(place.home, (report) => report.phase === 'up')).workerPid).not.toBeNull();
    },
    LIMIT_MS,
  );
});

describe('a new worker that is asked for', () => {
  it(
    'during the start is another one than the first',
    async () => {
      const place = aPlace();
      const options = place.options(`setTimeout(() => { ${POLLING_WORKER} }, 1000);`);
      const start = ensureEngine(options);
      const { workerPid } = await untilReport(place.home, (report) => report.workerPid !== null);

      const after = await restartWorker(place.home, options.workerCommand);

      expect(after).toMatchObject({ phase: 'up' });
      expect(after?.workerPid).not.toBe(workerPid);
      await start;
    },
    LIMIT_MS,
  );

  it(
    'has what was exported since the engine was started, and the program of whoever asks',
    async () => {
      const place = aPlace();
      const shown = join(dirname(place.home), 'shown');
      const showing = `require('node:fs').writeFileSync(${JSON.stringify(shown)}, [process.env.LATE?.length, process.argv[2]].join(' and ')); ${POLLING_WORKER}`;
      const options = place.options(showing);
      await ensureEngine(options);
      expect(readFileSync(shown, 'utf8')).toBe(' and ');
      const before = await engineStatus(place.home);
      jest.replaceProperty(process, 'env', { ...process.env, LATE: 'x'.repeat(100_000) });
      const [program = '', ...args] = options.workerCommand ?? [];

      const after = await restartWorker(place.home, [program, ...args, 'other']);

      expect(readFileSync(shown, 'utf8')).toBe('100000 and other');
      expect([after?.serverPid, after?.pid]).toEqual([before?.serverPid, before?.pid]);
    },
    LIMIT_MS,
  );
});
