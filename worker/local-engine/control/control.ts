/**
 * The words spoken on `<home>/engine.sock`: one JSON object a line, several requests a connection.
 * `drain` lasts as long as its connection: a `sluice down` that is interrupted leaves a working engine behind.
 */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { isOwnSocket } from '../../../config/home/socket-folder.js';
import { within } from '../../../config/system/within.js';
import { isRecord, parseRecord } from '../../../protocol/text/json.js';
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import type { EngineFacts } from '../state/engine-state.js';

export const ENGINE_PHASES = ['starting', 'up', 'draining', 'stopping', 'failed'] as const;
export type EnginePhase = (typeof ENGINE_PHASES)[number];

export type ControlRequest =
  | { readonly type: 'status' }
  /** Progress lines, then the status as soon as the phase is `up` or `failed`. */
  | { readonly type: 'wait' }
  /** Stops the worker, keeps the server; answered by `drained`. `now` does not wait for the worker's farewell. */
  | { readonly type: 'drain'; readonly now: boolean }
  /** Ends the engine; the connection closes when it is gone. `now` shortens every grace. */
  | { readonly type: 'down'; readonly now: boolean }
  /** A new worker process, as before where nothing else is said; answered by the status when it is ready. Turns go on. */
  | { readonly type: 'restart'; readonly as: WorkerStart | null };

/** How whoever asks would start the worker: what they exported since the engine's start, or installed elsewhere, is to count. */
export interface WorkerStart {
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
}

export interface EngineReport extends EngineFacts {
  readonly phase: EnginePhase;
  readonly pid: number;
  readonly serverPid: number | null;
  readonly workerPid: number | null;
  /** How often each was started again after it died. */
  readonly serverRestarts: number;
  readonly workerRestarts: number;
  /** Only in phase `failed`. */
  readonly error: Refusal | null;
}

export type ControlReply =
  | { readonly type: 'status'; readonly report: EngineReport }
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'drained' }
  | { readonly type: 'refused'; readonly reason: string };

export interface ControlClient {
  send(request: ControlRequest): void;
  /** The next reply; null when the engine closed the connection. */
  next(): Promise<ControlReply | null>;
  close(): void;
}

export function writeReply(socket: Socket, reply: ControlReply): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`);
}

/** Null for a line that is no request. */
export function readRequest(line: string): ControlRequest | null {
  const value = parseRecord(line);
  switch (value?.['type']) {
    case 'status':
    case 'wait':
      return { type: value['type'] };
    case 'restart':
      return { type: 'restart', as: isWorkerStart(value['as']) ? value['as'] : null };
    case 'drain':
    case 'down':
      return { type: value['type'], now: value['now'] === true };
    default:
      return null;
  }
}

function isWorkerStart(value: unknown): value is WorkerStart {
  if (!isRecord(value) || !Array.isArray(value['command']) || !isRecord(value['environment'])) return false;
  const words = [...value['command'], ...Object.values(value['environment'])];
  return value['command'].length > 0 && words.every((word) => typeof word === 'string');
}

/** One that was stopped, as by Ctrl+Z, takes connections and answers none; one that works answers in a millisecond. */
const ANSWER_WITHIN_MS = 10_000;

/** Null when nothing of this user listens there. Errors: RefusedError where that answers nothing. */
export async function openControl(
  socketPath: string,
  answerWithinMs: number = ANSWER_WITHIN_MS,
): Promise<ControlClient | null> {
  if (!isOwnSocket(socketPath)) return null;
  const socket = connect(socketPath);
  const connected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  if (!connected) return null;
  const control = controlClient(socket);
  control.send({ type: 'status' });
  if ((await within(answerWithinMs, control.next())) !== 'late') return control;
  control.close();
  throw new RefusedError({
    what: `The engine took the connection to ${socketPath}, and answered nothing for ${answerWithinMs / 1000} s.`,
    why: 'Its process is stopped, or hangs.',
    now: 'Nothing was ended; runs wait where they are.',
    mend: `Let it go on, or end it, and try again: fuser -v ${socketPath}`,
  });
}

/** The next status; null when the engine closed the connection. */
export async function awaitReport(control: ControlClient, say?: (text: string) => void): Promise<EngineReport | null> {
  for (;;) {
    const reply = await control.next();
    if (reply === null) return null;
    if (reply.type === 'status') return reply.report;
    if (reply.type === 'progress') say?.(reply.text);
  }
}

function controlClient(socket: Socket): ControlClient {
  // A reset is an end like any other here: the reader sees the close.
  socket.on('error', () => socket.destroy());
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return {
    send: (request) => socket.write(`${JSON.stringify(request)}\n`),
    next: async () => {
      for (;;) {
        // The iterator throws what the socket threw; for us the engine is gone either way.
        const line = await lines.next().catch(() => null);
        if (line === null || line.done === true) return null;
        const reply = parseRecord(line.value);
        // Both ends are of one installation or differ by one version; an unknown reply is passed over.
        if (reply !== null && isReply(reply)) return reply;
      }
    },
    close: () => socket.destroy(),
  };
}

function isReply(value: object): value is ControlReply {
  return 'type' in value && ['status', 'progress', 'drained', 'refused'].some((type) => type === value.type);
}
