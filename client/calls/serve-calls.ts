/**
 * The end of a calls socket that holds the SDK. A call ends when its connection does, or when it is told to stop.
 * Whoever writes lines without end, or reads none, loses the connection, and nobody else anything.
 */
import type { Socket } from 'node:net';
import { readLines, writeLine } from '../../config/system/json-lines.js';
import { ALIVE_EVERY_MS, BUILD, MAX_LINE_CHARS, type Told } from './call-lines.js';
import { type Calls, isCallName, makeCall } from './call-table.js';
import { carryError } from './carried-error.js';

/** A list of runs asks about fifty at once. */
const MAX_UNDER_WAY = 256;

/** `open` answers what makes the calls; where it cannot, the connection ends. */
export function serveCalls(socket: Socket, open: () => Promise<Calls>): void {
  const underWay = new Map<number, AbortController>();
  const alive = setInterval(() => tell({ type: 'alive' }), ALIVE_EVERY_MS);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => {
    clearInterval(alive);
    for (const ending of underWay.values()) ending.abort();
  });
  tell({ type: 'hello', build: BUILD });
  readLines(socket, MAX_LINE_CHARS, ({ id, stop, name, data }) => {
    if (typeof id !== 'number') socket.destroy();
    else if (stop === true) underWay.get(id)?.abort();
    else if (!isCallName(name) || !Array.isArray(data) || underWay.size === MAX_UNDER_WAY) socket.destroy();
    else void answer(id, (calls, ending) => makeCall(calls, name, data, ending));
  });

  async function answer(id: number, call: (calls: Calls, ending: AbortSignal) => Promise<unknown>): Promise<void> {
    const ending = new AbortController();
    underWay.set(id, ending);
    const calls = await open().catch(() => null);
    if (calls === null) socket.destroy();
    else {
      try {
        tell({ type: 'answer', id, value: await call(calls, ending.signal) });
      } catch (error) {
        tell({ type: 'error', id, error: carryError(error) });
      }
    }
    underWay.delete(id);
  }

  function tell(line: Told): void {
    if (socket.writableLength > MAX_LINE_CHARS) socket.destroy();
    else writeLine(socket, line);
  }
}
