/**
 * One guard per home, by a lock that the kernel releases when its holder dies: an abstract unix socket on Linux, an O_EXLOCK file on macOS.
 * Whoever holds it may unlink and bind the socket file; "connect, else unlink, else bind" without it gave two guards.
 * It holds within one network namespace: two containers that share a home over a bind mount do not see each other's lock.
 */
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { homeKey } from '../../../config/home/socket-folder.js';
import { codeOf } from '../../../config/system/error-code.js';

export interface GuardLock {
  release(): Promise<void>;
}

/** macOS: open(2) takes the lock itself. Not in node:fs constants. */
const O_RDWR_CREAT_NONBLOCK_EXLOCK = 0x2 | 0x200 | 0x4 | 0x20;

/** Null if another guard of this home lives. */
export async function takeGuardLock(home: string): Promise<GuardLock | null> {
  return process.platform === 'linux'
    ? takeAbstractSocket(`\0sluice-guard-${homeKey(home)}`)
    : takeLockFile(join(home, 'guard.lock'));
}

async function takeAbstractSocket(name: string): Promise<GuardLock | null> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(name, () => {
      resolve({ release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}

function takeLockFile(path: string): GuardLock | null {
  try {
    const fd = openSync(path, O_RDWR_CREAT_NONBLOCK_EXLOCK, 0o600);
    return { release: async () => closeSync(fd) };
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return null;
    throw error;
  }
}
