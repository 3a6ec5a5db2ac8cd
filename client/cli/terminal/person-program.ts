/** A program of the person's own, as their environment names it: a pager, an editor, a browser. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Io } from './io.js';

export interface PersonProgram {
  /** A line for the shell, as `$PAGER` and `$VISUAL` are. */
  readonly line: string;
  /** Words behind it, which the shell does not read. */
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads, where it is not the terminal. */
  readonly input?: string;
  /** Standard output is for objects alone, so what it prints goes to standard error. */
  readonly isBeside?: boolean;
}

/** The shell could not find or start it. */
const NOT_STARTED = [126, 127];

/** False where it cannot be started. Resolves when the person is done with it. Effects: it has terminal, keys and Ctrl+C meanwhile. */
export async function runForPerson(
  io: Io,
  { line, args = [], env, input, isBeside = false }: PersonProgram,
): Promise<boolean> {
  return io.lend(async () => {
    const child = spawn('/bin/sh', ['-c', args.length === 0 ? line : `${line} "$@"`, 'sh', ...args], {
      env: { ...env, ...io.env },
      stdio: [input === undefined ? 'inherit' : 'pipe', isBeside ? process.stderr : 'inherit', 'inherit'],
    });
    // Whoever quits early has read enough.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    const [code] = await once(child, 'close').then(
      (ended: unknown[]) => ended,
      () => NOT_STARTED,
    );
    return !NOT_STARTED.some((known) => known === code);
  });
}
