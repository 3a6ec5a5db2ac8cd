/**
 * One holder at a time for what git itself does not serialise in a repository (adding worktrees). Within a process: a queue.
 * Between processes, on Linux: an abstract socket, which the kernel takes away with its owner, however that one ends; a waiter connects
 * to the holder and is woken by the end of the connection. Elsewhere, and past the time limit, only the queue and the caller's retries hold.
 * It orders, it does not fence: callers must stay right when two get in.
 */
import { createHash } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { createSerializer } from '../../../config/system/serialize.js';

const MAX_WAIT_MS = 30_000;

const serialize = createSerializer();

/** Runs `work` alone among all holders of `key` (a real path). */
export function withRepositoryLock<T>(key: string, work: () => Promise<T>): Promise<T> {
  return serialize(key, () => holding(key, work));
}

async function holding<T>(key: string, work: () => Promise<T>): Promise<T> {
  const server = await acquire(key);
  try {
    return await work();
  } finally {
    server?.release();
  }
}

interface Held {
  release(): void;
}

async function acquire(key: string): Promise<Held | null> {
  if (process.platform !== 'linux') return null;
  const name = `\0sluice-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  const deadline = performance.now() + MAX_WAIT_MS;
  while (performance.now() < deadline) {
    const held = await listen(name);
    if (held !== null) return held;
    await holderGone(name, deadline - performance.now());
  }
  return null;
}

function listen(name: string): Promise<Held | null> {
  return new Promise((resolve, reject) => {
    const waiting = new Set<{ destroy(): void }>();
    const server: Server = createServer((socket) => {
      waiting.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => waiting.delete(socket));
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(null) : reject(error),
    );
    server.listen(name, () => {
      server.unref();
      const release = () => {
        server.close();
        for (const socket of waiting) socket.destroy();
      };
      resolve({ release });
    });
  });
}

function holderGone(name: string, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(name);
    const timer = setTimeout(() => socket.destroy(), limitMs);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
