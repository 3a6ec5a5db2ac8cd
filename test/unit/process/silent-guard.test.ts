/** A guard that takes connections and says nothing, as one does that was stopped or whose disk hangs. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GuardUnavailable } from '../../../activities/process/contract.js';
import { connectProcesses } from '../../../activities/process/processes.js';
import { tempFolder, tempFolders } from '../../support/temp-folder.js';
import { aFakeGuard, closeFakeGuards, HELLO } from './fake-guard.js';

const home = tempFolder();
const freshFolder = tempFolders();
const HOUR_MS = 3_600_000;
/** Of the test itself, which ends within a second. */
const LIMIT_MS = 60_000;

closeFakeGuards();

let server: Server;

beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'Date', 'setInterval', 'clearInterval'],
  });
  server = createServer((socket) => socket.on('error', () => {}));
  server.listen(join(home, 'guard.sock'));
  await once(server, 'listening');
});
afterEach(() => {
  jest.useRealTimers();
  server.close();
});

describe('a guard that answers nothing', () => {
  it(
    'is waited for until the time for it is over, and is then named as one that cannot be reached',
    async () => {
      const connecting = connectProcesses({ home, orphanGraceMs: 60_000, durability: 'process' });
      const refused = expect(connecting).rejects.toBeInstanceOf(GuardUnavailable);
      const [socket] = await once(server, 'connection');
      await once(socket, 'data');

      jest.advanceTimersByTime(HOUR_MS);

      await refused;
    },
    LIMIT_MS,
  );

  it(
    'is named with its process and its socket where it retired, since it may keep the very turn',
    async () => {
      const folder = freshFolder();
      await aFakeGuard(join(folder, 'guard.sock'), () => HELLO);
      const silent = await aFakeGuard(join(folder, 'guard.4242.sock'), () => new Promise(() => undefined));
      const connecting = connectProcesses({ home: folder, orphanGraceMs: 60_000, durability: 'process' });
      const refused = expect(connecting).rejects.toThrow(
        /process 4242\) takes connections at .*guard\.4242\.sock and answered nothing within 20 s/,
      );
      while (silent.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));

      jest.advanceTimersByTime(HOUR_MS);

      await refused;
    },
    LIMIT_MS,
  );
});
