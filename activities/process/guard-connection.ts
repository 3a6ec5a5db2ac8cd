/** A worker's line to one guard: requests with replies, and the ends of commands it is attached to. A lost line rejects what waits on it; the commands go on. */
import { connect, type Socket } from 'node:net';
import { readLines, writeLine } from '../../config/system/json-lines.js';
import type { ExitRecord } from './contract.js';
import { type EndedEvent, MAX_LINE_CHARS, type Reply, type Request } from './wire.js';

/** The guard died or ended itself; whoever waits connects again. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export interface EndWaiter {
  /** Null: gone without a known end, or ended just now: look again. Errors: ConnectionLost. */
  readonly ended: Promise<ExitRecord | null>;
  forget(): void;
}

export interface GuardConnection {
  readonly path: string;
  isOpen(): boolean;
  /** Errors: ConnectionLost. */
  request(request: Request): Promise<Reply>;
  /** Made before the request that attaches: the end may come in the same packet as the reply. */
  expectEnd(token: string): EndWaiter;
  close(): void;
}

/** Null if nobody listens at the path. */
export async function connectGuard(path: string): Promise<GuardConnection | null> {
  const socket = connect(path);
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    socket.once('error', resolve);
    socket.once('connect', () => resolve(null));
  });
  if (failure === null) return talk(socket, path);
  if (failure.code === 'ENOENT' || failure.code === 'ECONNREFUSED' || failure.code === 'ECONNRESET') return null;
  throw failure;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function talk(socket: Socket, path: string): GuardConnection {
  const replies = new Map<number, Waiting<Reply>>();
  const ends = new Map<string, Set<Waiting<ExitRecord | null>>>();
  let nextId = 1;
  let open = true;
  socket.on('error', () => {});
  socket.on('close', () => {
    open = false;
    const lost = new ConnectionLost(`the guard at ${path} is gone`);
    for (const waiting of [...replies.values(), ...[...ends.values()].flatMap((set) => [...set])]) waiting.reject(lost);
  });
  readLines(socket, MAX_LINE_CHARS, (line) => {
    if (isEnded(line)) {
      for (const waiting of ends.get(line.token) ?? []) waiting.resolve(line.exit);
      ends.delete(line.token);
    } else if (typeof line.id === 'number') {
      // A guard of the same home and user: its replies are as the wire says.
      replies.get(line.id)?.resolve(line as unknown as Reply);
      replies.delete(line.id);
    }
  });
  return {
    path,
    isOpen: () => open,
    request: (request) =>
      new Promise((resolve, reject) => {
        if (!open) {
          reject(new ConnectionLost(`the guard at ${path} is gone`));
          return;
        }
        const id = nextId++;
        replies.set(id, { resolve, reject });
        writeLine(socket, { id, ...request });
      }),
    expectEnd: (token) => expectIn(ends, token),
    close: () => socket.destroy(),
  };
}

function expectIn(
  ends: Map<string, Set<Waiting<ExitRecord | null>>>,
  token: string,
): ReturnType<GuardConnection['expectEnd']> {
  const set = ends.get(token) ?? new Set();
  ends.set(token, set);
  let forget = () => {};
  const ended = new Promise<ExitRecord | null>((resolve, reject) => {
    const waiting = { resolve, reject };
    set.add(waiting);
    forget = () => set.delete(waiting);
  });
  ended.catch(() => {});
  return { ended, forget };
}

function isEnded(line: object): line is EndedEvent {
  return 'event' in line && line.event === 'ended' && 'token' in line && typeof line.token === 'string';
}
