/**
 * Checkouts that asks of a repository leave to the next of them, each a folder with its private git dir. One is taken, left and given up by one rename, so that of two at once one has it
 * and what a kill leaves is whole. Nothing is promised of the files in it: whoever takes one puts it in order.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../config/home/make-folder.js';
import { codeOf } from '../../config/system/error-code.js';
import { lookAt } from '../../config/system/look-at.js';
import { removeFolder } from '../git/worktree/remove-worktree.js';

/** As many as ask at once (`askSlots`, where nobody says otherwise). */
const MAX_KEPT = 4;

const GIVEN_UP = 'gone-';

/** Effects: one of them is `path` from now on, where nothing is yet. */
export function takeKeptTree(dir: string, path: string): void {
  for (const name of listKept(dir)) if (isMoved(join(dir, name), path)) return;
}

/** Effects: `path` is gone. */
export async function leaveTree(dir: string, path: string): Promise<void> {
  makeFolder(dir);
  if (listKept(dir).length < MAX_KEPT) isMoved(path, join(dir, randomUUID()));
  await removeFolder(path);
}

/** Answers whether it went: it was left before `since`, and nobody took it. Unit of `since`: ms since the epoch. */
export async function dropOldTree(path: string, since: number): Promise<boolean> {
  const found = lookAt(path);
  return found !== null && found.mtimeMs < since && giveUp(dirname(path), basename(path));
}

/** Under a name of its own first: nobody is to take half of one. */
async function giveUp(dir: string, name: string): Promise<boolean> {
  const gone = join(dir, `${GIVEN_UP}${randomUUID()}`);
  return isMoved(join(dir, name), gone) && removeFolder(gone);
}

function listKept(dir: string): readonly string[] {
  try {
    return readdirSync(dir).filter((name) => !name.startsWith(GIVEN_UP));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** `EXDEV`: somebody gave a part of the home a disk of its own. */
const UNMOVED: ReadonlySet<string | null> = new Set(['ENOENT', 'EACCES', 'EXDEV']);

/** False: another was first, whoever worked there took the right to move it, or the two lie on different disks. */
function isMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!UNMOVED.has(codeOf(error))) throw error;
    return false;
  }
}
