/** Says on the host that the end of a run is in its files. Without it a starting worker asks the server what became of the run. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOutcome } from '../../protocol/run/outcomes.js';
import { type Durability, writeMark } from '../process/marks.js';

export const CLOSED_FILE = 'closed.json';

export function isClosedOnHost(stateDir: string): boolean {
  return existsSync(join(stateDir, CLOSED_FILE));
}

/** A reset of a closed run goes on: its next end is missing again. */
export function reopenOnHost(stateDir: string): void {
  rmSync(join(stateDir, CLOSED_FILE), { force: true });
}

export function markClosedOnHost(stateDir: string, outcome: RunOutcome, durability: Durability): void {
  writeMark(join(stateDir, CLOSED_FILE), JSON.stringify({ outcome }), durability);
}
