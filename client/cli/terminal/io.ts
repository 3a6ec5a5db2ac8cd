/**
 * The edge to the terminal: output that survives a closed pipe, one JSON object a line, colours only where they are wanted,
 * and one signal for Ctrl+C, SIGTERM and SIGHUP. Commands get it injected; only main.ts makes the real one.
 */
import { fstatSync, writeFileSync } from 'node:fs';
import { createColors } from 'picocolors';
import { codeOf } from '../../../config/system/error-code.js';
import { type Key, listenToKeys } from './keys.js';

export { foreign, foreignBlock } from '../../views/foreign.js';

type Colors = ReturnType<typeof createColors>;
type Output = typeof process.stdout | typeof process.stderr;

export interface Io {
  /** Text of ours; foreign parts of it went through `foreign`. */
  out(text: string): void;
  /** The same without a newline of its own. */
  write(text: string): void;
  /** To standard output, as they are. */
  bytes(content: Uint8Array): void;
  /** Progress and warnings: not part of the result. */
  err(text: string): void;
  /** One documented object as one line. */
  json(value: unknown): void;
  /** Both ends are a terminal: prompts are allowed. */
  readonly interactive: boolean;
  /** Standard output is a terminal that can move its cursor. */
  readonly live: boolean;
  readonly outIsTerminal: boolean;
  /** A person may sit at one of the ends, though a pipe may stand between. */
  readonly attended: boolean;
  readonly colors: Colors;
  columns(): number;
  rows(): number;
  onResize(listener: () => void): () => void;
  /** Each key as it is typed, unechoed, until the answer is called; Ctrl+C still stops. Only where `interactive`. */
  onKey(listener: (key: Key) => void): () => void;
  /** Whatever else has the terminal until `work` is done has Ctrl+C too. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Aborted by Ctrl+C, SIGTERM, SIGHUP, a reader that closed the pipe, or the error of an output that cannot be written. */
  readonly stop: AbortSignal;
}

/** JSON without a character that a terminal would obey: they are escaped, so nothing is lost. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function wantsColors(env: NodeJS.ProcessEnv, isTTY: boolean): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if ((env['FORCE_COLOR'] ?? '') !== '') return env['FORCE_COLOR'] !== '0';
  return isTTY && env['TERM'] !== 'dumb';
}

export function createProcessIo(): { readonly io: Io; readonly flush: () => Promise<void> } {
  const stopping = new AbortController();
  const { stdout, stderr, env } = process;
  for (const stream of [stdout, stderr])
    stream.on('error', (error) => {
      // A reader that closed the pipe (`| head`), or a terminal that is gone, ends the command quietly.
      if (codeOf(error) === 'EPIPE' || stream.isTTY === true) stopping.abort('EPIPE');
      // Whoever cannot keep the progress may still want the result.
      else if (stream === stdout) stopping.abort(error);
    });
  let lent = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signal !== 'SIGINT' || lent === 0) stopping.abort(signal);
    });
  const io: Io = {
    out: (text) => write(stdout, `${text}\n`),
    write: (text) => write(stdout, text),
    bytes: (content) => write(stdout, content),
    err: (text) => write(stderr, `${text}\n`),
    json: (value) => write(stdout, `${jsonLine(value)}\n`),
    interactive: stdout.isTTY === true && process.stdin.isTTY === true && env['TERM'] !== 'dumb',
    live: stdout.isTTY === true && env['TERM'] !== 'dumb',
    outIsTerminal: stdout.isTTY === true,
    attended: stdout.isTTY === true || process.stdin.isTTY === true,
    colors: createColors(wantsColors(env, stdout.isTTY === true)),
    columns: () => stdout.columns ?? 80,
    rows: () => stdout.rows ?? 24,
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => stdout.off('resize', listener);
    },
    async lend(work) {
      lent += 1;
      try {
        return await work();
      } finally {
        lent -= 1;
      }
    },
    onKey: (listener) => listenToKeys(process.stdin, listener, () => stopping.abort('SIGINT')),
    env,
    get cwd() {
      return process.cwd();
    },
    stop: stopping.signal,
  };
  return { io, flush: () => flushAll([stdout, stderr]) };
}

/** Node writes to a file once and takes a part for the whole, so of a disk that runs full nobody would hear. */
function write(stream: Output, content: string | Uint8Array): void {
  if (stream.destroyed || !stream.writable) return;
  if (!fstatSync(stream.fd).isFile()) {
    stream.write(content);
    return;
  }
  try {
    writeFileSync(stream.fd, Buffer.from(content));
  } catch (error) {
    stream.emit('error', error);
  }
}

/** Resolves when everything written has left the process, so that 400 kB through a slow pipe arrive whole. */
async function flushAll(streams: readonly Output[]): Promise<void> {
  await Promise.all(
    streams.map(
      (stream) =>
        new Promise<void>((resolve) => {
          if (stream.destroyed || !stream.writable) resolve();
          else stream.write('', () => resolve());
        }),
    ),
  );
}
