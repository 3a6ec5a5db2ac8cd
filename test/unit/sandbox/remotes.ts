/** Servers of this machine before and behind a proxy. All are gone after the test. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';

const closing: (() => Promise<void>)[] = [];

/** Once in a test file. */
export function closeRemotes(): void {
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
}

/** Ends with its test; `at`: a path, or a free port of loopback, which it answers. */
export async function listenHere(server: Server, at?: string): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) =>
    at === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(at, resolve),
  );
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return at === undefined ? (server.address() as AddressInfo).port : 0;
}

/** Answers `echo <all that it got>` once the other side has said all. */
export function aLateEcho(): Promise<number> {
  return listenHere(
    createServer({ allowHalfOpen: true }, (socket) => {
      let got = '';
      socket.on('data', (chunk: Buffer) => {
        got += chunk.toString();
      });
      socket.on('end', () => socket.end(`echo ${got}`));
    }),
  );
}
