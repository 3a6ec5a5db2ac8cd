/**
 * The folder of a command whose last act was to remove it. Its end is written there all the same: where no mark is left nobody counts its starts,
 * and it would be started again without end. The run's folder is not made again, for without it nobody comes to read an end.
 */
import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Claim } from '../contract.js';
import { freeName } from '../marks.js';
import { baseOf } from '../wire.js';
import { takeFolderBack } from './cut-output.js';

const OWN_FOLDER_MODE = 0o700;

/** Answers whether it is there, as a folder of its own. **Errors** those of the file system. */
export function makeFolderAgain(dir: string, { token }: Pick<Claim, 'token'>): boolean {
  // Between the run's folder and this one: that of all places, and for a command below a place that of the place.
  const above = token === baseOf(token) ? [dirname(dir)] : [dirname(dirname(dir)), dirname(dir)];
  for (const folder of above) {
    if (!isFolder(dirname(folder))) return false;
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: OWN_FOLDER_MODE });
    takeFolderBack(folder);
  }
  if (!isFolder(dirname(dir))) return false;
  if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return true;
  // A link or a file in its place is the command's: nothing is written through it.
  freeName(dir);
  mkdirSync(dir, { mode: OWN_FOLDER_MODE });
  return true;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
