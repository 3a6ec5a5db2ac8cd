/**
 * The commit that stands for a run's head where it lands: a merge, a squash, or the head itself. It is noted before any ref has it, and counts once the base contains it: what a squash or a
 * repair came from is in no history.
 */
import { join } from 'node:path';
import { isRecord } from '../../protocol/text/json.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';

const LANDED_FILE = 'landed.json';

export interface LandedMark {
  readonly head: string;
  /** The base, short. */
  readonly branch: string;
  readonly commit: string;
}

/** `stateDir`: of the run. */
export function noteLanded(stateDir: string, { head, branch, commit }: LandedMark, durability: Durability): void {
  writeMark(join(stateDir, LANDED_FILE), JSON.stringify({ head, branch, commit }), durability);
}

/** Null: none, or none that can be read. */
export function readLanded(stateDir: string): LandedMark | null {
  const value = readJson(join(stateDir, LANDED_FILE));
  if (!isRecord(value)) return null;
  const { head, branch, commit } = value;
  return [head, branch, commit].every((text) => typeof text === 'string')
    ? { head: String(head), branch: String(branch), commit: String(commit) }
    : null;
}
