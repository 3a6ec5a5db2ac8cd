/**
 * Says in a run's state folder that its removal was decided and has begun, so that a clean that was cut off is finished by the next one:
 * what it deleted itself is not taken for changes of a person. It counts only once the run's refs are gone, which go first.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Durability, writeMark } from '../process/marks.js';

export const CLEANING_FILE = 'cleaning.json';

export function isCleaningBegun(stateDir: string): boolean {
  return existsSync(join(stateDir, CLEANING_FILE));
}

/** Best effort: a full disk takes no mark, and is what people clean for. */
export function markCleaning(stateDir: string, durability: Durability): void {
  try {
    writeMark(join(stateDir, CLEANING_FILE), JSON.stringify({ begunAt: new Date().toISOString() }), durability);
  } catch {
    dropCleaningMark(stateDir);
  }
}

/** The removal is over, or it is off: a reset of the run goes on, a ref moved. */
export function dropCleaningMark(stateDir: string): void {
  rmSync(join(stateDir, CLEANING_FILE), { force: true });
}
