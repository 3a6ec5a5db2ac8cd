/** The set-up commands, in order, under one time limit for all of them. What they took comes from the exit records, so a second attempt counts the same. */
import type { ExitRecord } from '../process/contract.js';

export interface Setup {
  readonly lines: readonly string[];
  /** Of the whole set-up. */
  readonly limitMs: number;
  /** Runs one line. Unit: `index` from 0. */
  readonly run: (line: string, index: number, timeoutMs: number) => Promise<ExitRecord>;
  /** Told after each line; the error is null where it went well. */
  readonly each?: (line: string, error: string | null) => void;
}

/** A command gets at least so long: a limit of 0 ms would be no command at all. */
const LEAST_MS = 1;

/** Answers why it failed, in words for people, or null. */
export async function runSetup({ lines, limitMs, run, each }: Setup): Promise<string | null> {
  let spentMs = 0;
  for (const [index, line] of lines.entries()) {
    const exit = await run(line, index, Math.max(LEAST_MS, limitMs - spentMs));
    spentMs += exit.ranMs;
    const error = errorOf(line, exit);
    each?.(line, error);
    if (error !== null) return error;
  }
  return null;
}

function errorOf(line: string, exit: ExitRecord): string | null {
  if (exit.reason === 'exited' && exit.exitCode === 0) return null;
  const how = exit.reason === 'exited' ? `exit ${exit.exitCode ?? 'none'}` : exit.reason;
  return `set-up command \`${line}\` failed (${how})`;
}
