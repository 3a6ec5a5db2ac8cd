/** Engines of two homes that start in the same moment and want the same port: each has a server of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { listensAt } from '../../../worker/local-engine/children/port-listener.js';
import { freePort } from '../../../worker/local-engine/children/ports.js';
import { ensureEngine } from '../../../worker/local-engine/control/ensure-engine.js';
import { itWhere } from '../../support/it-where.js';
import { aHome, type TestHome } from './engine-fixture.js';

const onLinux = itWhere(process.platform === 'linux', 'only Linux tells whose a port is');
let places: readonly TestHome[];
beforeEach(() => {
  places = [aHome(), aHome(), aHome()];
});
afterEach(async () => {
  await Promise.all(places.map((place) => place.remove()));
});

describe('two homes that start in the same moment', () => {
  onLinux(
    'have servers of their own',
    async () => {
      const [first] = places;
      const ports = first?.options().ports;

      const started = await Promise.all(
        places.map((place) => ensureEngine({ ...place.options(), ...(ports === undefined ? {} : { ports }) })),
      );

      expect(new Set(started.map(({ address }) => address)).size).toBe(places.length);
    },
    300_000,
  );
});

describe('a port', () => {
  onLinux('is of who listens there, or started who does, and of nobody else', async () => {
    const port = await freePort(30_000 + Math.floor(Math.random() * 20_000));
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const other = spawn('sleep', ['60']);
    await once(other, 'spawn');
    try {
      expect([process.pid, process.ppid, other.pid ?? 0].map((pid) => listensAt(pid, port))).toEqual([
        true,
        true,
        false,
      ]);
    } finally {
      other.kill();
      server.close();
      await once(server, 'close');
    }
    expect(listensAt(process.pid, port)).toBe(false);
  });
});
