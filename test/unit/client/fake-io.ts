/** A terminal of tests: what is printed is kept, keys are pressed by hand. */
import { createColors } from 'picocolors';
import type { Context } from '../../../client/cli/terminal/context.js';
import type { Io } from '../../../client/cli/terminal/io.js';
import { type Key, keysOf } from '../../../client/cli/terminal/keys.js';

export interface FakeTerminal {
  readonly context: Context;
  readonly out: string[];
  readonly err: string[];
  readonly objects: unknown[];
  /** Everything that was written without a newline of its own. */
  readonly written: string[];
  readonly stopping: AbortController;
  press(chunk: string): void;
  /** Whether somebody reads keys. */
  listens(): boolean;
}

export function openTerminal(over: Partial<Io> = {}, json = false): FakeTerminal {
  const [out, err, written]: [string[], string[], string[]] = [[], [], []];
  const objects: unknown[] = [];
  const stopping = new AbortController();
  const listeners = new Set<(key: Key) => void>();
  const io: Io = {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    write: (text) => written.push(text),
    bytes: (content) => written.push(Buffer.from(content).toString('latin1')),
    json: (value) => objects.push(JSON.parse(JSON.stringify(value))),
    interactive: true,
    live: true,
    outIsTerminal: true,
    attended: true,
    colors: createColors(false),
    columns: () => 100,
    rows: () => 24,
    onResize: () => () => {},
    onKey(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    lend: (work) => work(),
    env: { TERM: 'xterm' },
    cwd: '/',
    stop: stopping.signal,
    ...over,
  };
  return {
    context: { io, home: '/nonexistent/home', json },
    out,
    err,
    objects,
    written,
    stopping,
    press(chunk) {
      for (const key of keysOf(chunk)) for (const listener of listeners) listener(key);
    },
    listens: () => listeners.size > 0,
  };
}
