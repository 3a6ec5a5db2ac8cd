/**
 * What stands at a path that we write and is not ours (a symlink, a folder, a FIFO, a device) is moved aside, in the same folder and by rename:
 * nothing is lost, nothing is followed, nothing is opened. Whoever gives no `aside`, or writes outside of it, is refused instead.
 */
import { lstatSync, renameSync, type Stats } from 'node:fs';
import { sep } from 'node:path';
import { codeOf } from '../../config/system/error-code.js';

/** Something stands in the path that is not ours, and it stays there. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
}

export interface FoundEntry {
  /** Absolute; where it stood and where it is now. */
  readonly path: string;
  readonly movedTo: string;
  /** `a symlink`, `a folder` and the like. */
  readonly what: string;
}

export interface Aside {
  /** Absolute. Only what lies below it is moved; the folder itself and what is above belong to the person. */
  readonly below: string;
  readonly tell: (found: FoundEntry) => void;
}

/** An agent that makes more of them keeps us from writing, not from going on. */
const MAX_FOUND = 1000;

/** Effects: one rename. Errors: UnsafePathError where nothing may be moved; those of rename. */
export function moveAside(path: string, what: string, aside: Aside | undefined): void {
  if (aside === undefined || !path.startsWith(`${aside.below}${sep}`))
    throw new UnsafePathError(`${JSON.stringify(path)} is ${what}`);
  for (let n = 1; n <= MAX_FOUND; n += 1) {
    const movedTo = `${path}.found-${n}`;
    if (lstatSync(movedTo, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      renameSync(path, movedTo);
    } catch (error) {
      // Whoever put it there has removed it.
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    aside.tell({ path, movedTo, what });
    return;
  }
  throw new UnsafePathError(`${JSON.stringify(path)} is ${what}, and ${MAX_FOUND} others were moved aside before it`);
}

export function kindOf(stat: Stats): string {
  if (stat.isFile()) return 'a file';
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a symlink';
  if (stat.isFIFO()) return 'a FIFO';
  return stat.isSocket() ? 'a socket' : 'a device';
}
