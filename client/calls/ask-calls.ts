/**
 * The end of a calls socket that asks. It loads no SDK.
 * Every call may be made again: one that only looks changes nothing, and what one starts or sends bears a request id, under which server and run take it
 * once. So a call whose answer does not come is made by the SDK after all.
 */
import { connect, type Socket } from 'node:net';
import { isOwnSocket } from '../../config/home/socket-folder.js';
import { messageOf } from '../../config/system/error-code.js';
import { readLines, writeLine } from '../../config/system/json-lines.js';
import { RefusedError } from '../../protocol/text/refusal.js';
import { ALIVE_EVERY_MS, type Asked, MAX_LINE_CHARS, type Told } from './call-lines.js';
import { type Ask, type Calls, callsBy, makeCall, onlyLooks, withRequestId } from './call-table.js';
import { errorFrom } from './carried-error.js';

/** **Unit** ms without a whole line: nobody is there then, whatever the socket says. */
const SILENT_MS = 3 * ALIVE_EVERY_MS;

export interface CallLine {
  /** Of the other end. */
  readonly build: string;
  /** Errors: LineLost; what `stop` was aborted with; the call's own. */
  readonly ask: Ask;
  close(): void;
}

/** It is not known what became of a call that was said. */
class LineLost extends Error {
  override readonly name = 'LineLost';

  constructor(readonly wasSaid: boolean) {
    super();
  }
}

/** Null where nobody of this user says hello in time. */
export async function openCallLine(path: string, silentMs = SILENT_MS): Promise<CallLine | null> {
  if (!isOwnSocket(path)) return null;
  const socket = connect(path);
  return new Promise((resolve) => {
    socket.once('close', () => resolve(null));
    talk(socket, silentMs, resolve);
  });
}

/** `otherwise` makes the calls once the line is lost. Where it fails, a call that changes something may have been made all the same. */
export function callsOver(line: CallLine, otherwise: () => Promise<Calls>): Calls {
  return callsBy(async (name, data, stop) => {
    const call = [name, withRequestId(name, data), stop] as const;
    try {
      return await line.ask(...call);
    } catch (error) {
      if (!(error instanceof LineLost)) throw error;
      const mayBeMade = error.wasSaid && !onlyLooks(name);
      const calls = await otherwise().catch((why: unknown) => {
        throw mayBeMade ? notKnown(why) : why;
      });
      return makeCall(calls, ...call);
    }
  });
}

/** Of a call that changes something: it was said, and nobody knows whether it was made. */
export class NotKnown extends RefusedError {}

export function notKnown(cause: unknown): NotKnown {
  const { what, why } = cause instanceof RefusedError ? cause.parts : { what: messageOf(cause), why: '' };
  return new NotKnown(
    {
      what,
      why,
      now: 'Whether it arrived is not known.',
      mend: 'sluice up    then look whether it is there before you try again',
    },
    { cause },
  );
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

function talk(socket: Socket, silentMs: number, onHello: (line: CallLine) => void): void {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const silent = setTimeout(() => socket.destroy(), silentMs);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    clearTimeout(silent);
    for (const call of waiting.values()) call.reject(new LineLost(true));
  });
  readLines(socket, MAX_LINE_CHARS, (line) => {
    silent.refresh();
    // The other end is of this user, and of this build or not asked at all.
    const told = line as unknown as Told;
    if (told.type === 'hello') onHello({ build: told.build, ask, close: () => socket.destroy() });
    else if (told.type === 'answer') waiting.get(told.id)?.resolve(told.value);
    else if (told.type === 'error') waiting.get(told.id)?.reject(errorFrom(told.error));
  });

  async function ask(...[name, data, stop]: Parameters<Ask>): Promise<unknown> {
    stop?.throwIfAborted();
    if (socket.destroyed) throw new LineLost(false);
    last += 1;
    const id = last;
    const end = () => {
      say({ id, stop: true });
      waiting.get(id)?.reject(stop?.reason);
    };
    stop?.addEventListener('abort', end, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        say({ id, name, data });
      });
    } finally {
      waiting.delete(id);
      stop?.removeEventListener('abort', end);
    }
  }

  function say(line: Asked): void {
    writeLine(socket, line);
  }
}
