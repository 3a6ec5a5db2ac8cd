/** A home that is removed under its engine and is there again before the engine looks. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { engineStatus, ensureEngine } from '../../../worker/local-engine/control/ensure-engine.js';
import { identify } from '../../../worker/local-engine/state/process-identity.js';
import { until } from '../../support/until.js';
import { aHome, POLLING_WORKER, type TestHome } from './engine-fixture.js';

const LIMIT_MS = 300_000;
/** As the guard that a worker starts. */
const MAKING_WORKER = `setInterval(() => require('node:fs').mkdirSync(process.env.SLUICE_HOME, { recursive: true }), 5);
${POLLING_WORKER}`;

/** As one that closes its sockets, it changes the home of the next engine, if there is one, when it is told to end. */
const TIDYING_WORKER = `process.on('SIGTERM', () => {
  const { existsSync, writeFileSync } = require('node:fs');
  if (existsSync(process.env.SLUICE_HOME + '/engine.lock')) writeFileSync(process.env.SLUICE_HOME + '/tidied', '');
});
${POLLING_WORKER}`;

let place: TestHome;
beforeEach(() => {
  place = aHome();
});
afterEach(() => place.remove(), LIMIT_MS);

/** Returns how to wait for the end of all that the engine was. */
async function removeHome(): Promise<() => Promise<void>> {
  const { pid, serverPid, workerPid } = (await engineStatus(place.home)) ?? {};
  rmSync(place.home, { recursive: true, maxRetries: 5 });
  return async () => {
    for (const ended of [pid, serverPid, workerPid]) await until(async () => (await identify(ended ?? 0)) === null);
  };
}

describe('a home that is removed and made again', () => {
  it(
    'by a guard ends its engine all the same, with all that it owns',
    async () => {
      await ensureEngine(place.options(MAKING_WORKER));

      const ended = await removeHome();

      await ended();
      expect(existsSync(place.home)).toBe(true);
    },
    LIMIT_MS,
  );

  it(
    'by the next engine is left to that one',
    async () => {
      await ensureEngine(place.options(TIDYING_WORKER));
      const ended = await removeHome();

      const next = await ensureEngine(place.options());

      await ended();
      expect(next.started).toBe(true);
      expect(await engineStatus(place.home)).toMatchObject({ phase: 'up', address: next.address });
      expect(existsSync(join(place.home, 'engine.json'))).toBe(true);
      expect(existsSync(join(place.home, 'tidied'))).toBe(false);
    },
    LIMIT_MS,
  );
});
