/** The engine's log files: appended by a descriptor that children inherit, turned over at an engine's start, one old one kept. */
import { openSync, readFileSync, renameSync, statSync } from 'node:fs';

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

/** The last lines, for an error message; empty if there are none. */
export function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}
