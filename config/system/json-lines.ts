/**
 * One JSON object a line over a unix socket, both ways: how guard, engine and worker are talked to.
 * Loaded by the guard, so what it imports needs nothing but Node.
 */
import type { Socket } from 'node:net';
import { parseRecord } from '../../protocol/text/json.js';

/** Calls `take` with every whole line that is a JSON object; anything else, and a line that does not end, ends the connection. */
export function readLines(socket: Socket, maxChars: number, take: (line: Record<string, unknown>) => void): void {
  let rest: string[] = [];
  let held = 0;
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    const parts = chunk.split('\n');
    rest.push(parts[0] ?? '');
    held = parts.length === 1 ? held + chunk.length : (parts.at(-1)?.length ?? 0);
    if (held > maxChars) {
      rest = [];
      socket.destroy();
      return;
    }
    for (const part of parts.slice(1)) {
      const line = parseRecord(rest.join(''));
      rest = [part];
      if (line === null) {
        socket.destroy();
        return;
      }
      take(line);
    }
  });
}

export function writeLine(socket: Socket, value: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`);
}
