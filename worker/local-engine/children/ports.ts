/**
 * The engine's own ports, on loopback only: the wanted one, else the next free one. Never Temporal's default 7233.
 * A port can be taken between the look and the server's bind; the caller then asks again.
 */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

const TRIES = 100;
const MAX_PORT = 65_535;

/**
 * Where the Web UI listens: an address of the loopback network that no web page knows. The UI answers whatever host name it is asked by, so
 * that on 127.0.0.1 a page could have its own name resolved to it (DNS rebinding) and read and decide runs. Only Linux has 127.0.0.0/8 as it stands.
 */
export function uiHost(): string {
  return process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : LOOPBACK;
}

/** `before`: taken first, where it is free. Errors: plain Error if a hundred ports in a row, or all up to the last one, are taken. */
export async function freePort(wanted: number, host = LOOPBACK, before: number | null = null): Promise<number> {
  if (before !== null && (await isFree(before, host))) return before;
  const last = Math.min(wanted + TRIES - 1, MAX_PORT);
  for (let port = wanted; port <= last; port += 1) if (await isFree(port, host)) return port;
  throw new Error(`no free port from ${wanted} to ${last}`);
}

/** Resolves when something accepts connections; rejects with the signal's reason. */
export async function waitForPort(port: number, signal: AbortSignal): Promise<void> {
  while (!(await accepts(port))) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
