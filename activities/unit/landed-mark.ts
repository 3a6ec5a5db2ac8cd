/**
 * The commit that stands for a run's head where it lands: a merge, a squash, or the head itself. It is noted before any ref has it, and counts once the base contains it: what a squash or a
 * repair came from is in no history. On a forge, whose base a host does not keep, it is noted once more when it is seen there.
 */
import { join } from 'node:path';
import type { QueueRef } from '../../protocol/actors/merge-queue.js';
import { isRecord } from '../../protocol/text/json.js';
import { type Durability, readJson, writeMark } from '../process/marks.js';

const LANDED_FILE = 'landed.json';

export interface LandedMark {
  readonly head: string;
  /** The queue of its base. */
  readonly base: QueueRef;
  readonly commit: string;
  /** Of a forge: it was seen on the base. Else git says so. */
  readonly isThere?: boolean;
  /** The landing checks were green on its tree. Who only sees it on the base does not know that. */
  readonly isGreen?: boolean;
}

/** `stateDir`: of the run. */
export function noteLanded(stateDir: string, mark: LandedMark, durability: Durability): void {
  writeMark(join(stateDir, LANDED_FILE), JSON.stringify(mark), durability);
}

/** Null: none, or none that can be read. */
export function readLanded(stateDir: string): LandedMark | null {
  const value = readJson(join(stateDir, LANDED_FILE));
  if (!isRecord(value)) return null;
  const { head, commit, base, isThere, isGreen } = value;
  const { repoKey, branch } = isRecord(base) ? base : {};
  if (![head, commit, repoKey, branch].every((text) => typeof text === 'string')) return null;
  return {
    head: String(head),
    commit: String(commit),
    base: { repoKey: String(repoKey), branch: String(branch) },
    isThere: isThere === true,
    isGreen: isGreen === true,
  };
}
