/** A guard that answers as a test says, at a socket of a home: what it was asked, and how many are connected. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';
import { MAX_LINE_CHARS, type Reply, type Request } from '../../../activities/process/wire.js';
import { readLines, writeLine } from '../../../config/system/json-lines.js';

export const HELLO = { kind: 'hello', version: 1_000_000, pid: 1 } as const satisfies Reply;

export interface FakeGuard {
  readonly asked: readonly Request[];
  readonly connections: () => number;
  /** Of all time. */
  readonly connected: () => number;
}

/** `answer`: null ends the connection without a word, as the death of a guard does. */
export type Answer = (request: Request) => Reply | null | Promise<Reply | null>;

const closing: (() => Promise<void>)[] = [];

/** Once in a test file: ends its fake guards after each test. */
export function closeFakeGuards(): void {
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
}

export async function aFakeGuard(path: string, answer: Answer): Promise<FakeGuard> {
  const asked: Request[] = [];
  const sockets = new Set<Socket>();
  let connected = 0;
  const server = createServer((socket) => {
    connected += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    readLines(socket, MAX_LINE_CHARS, (line) => {
      // Whoever speaks here is of this build.
      const request = line as unknown as Request;
      asked.push(request);
      void Promise.resolve(answer(request)).then((reply) => {
        if (reply === null) socket.destroy();
        else writeLine(socket, { id: line['id'], ...reply });
      });
    });
  });
  server.listen(path);
  await once(server, 'listening');
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { asked, connections: () => sockets.size, connected: () => connected };
}
