/** The engine's log files: appended by a descriptor that children inherit, turned over at an engine's start, one old one kept. */
import { openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';

const TURN_OVER_BYTES = 1_000_000;
const TAIL_LINES = 5;

/** Effects: a file over a megabyte becomes `<file>.1`. The descriptor belongs to the caller. */
export function openLog(file: string): number {
  try {
    if (statSync(file).size > TURN_OVER_BYTES) renameSync(file, `${file}.1`);
  } catch {
    // It does not exist yet.
  }
  return openSync(file, 'a', 0o600);
}

/** A full disk costs the line and nothing else: the engine goes on. */
export function appendLine(log: number, line: string): void {
  try {
    writeSync(log, `${line}\n`);
  } catch {
    // There is nowhere left to say so.
  }
}

/** The last lines, for an error message; empty if there are none. */
export function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}
