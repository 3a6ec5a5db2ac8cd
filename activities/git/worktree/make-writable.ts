/**
 * Gives the owner back the right to list and change folders, so that what an agent or its tools made read-only (a module cache of Go is)
 * can be removed. Symlinks are not followed; a folder of another user's stays as it is, and git then says so.
 */
import { chmod } from 'node:fs/promises';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import { lookAt } from '../../../config/system/look-at.js';
import { joinBytes } from '../start/byte-path.js';

const OWNER = 0o700;

/** Of one folder; what lies in a larger one is left to the command that fails on it. */
const MAX_ENTRIES = 200_000;

export async function makeWritable(folder: string | Buffer): Promise<void> {
  if (!(await makeFolderWritable(folder))) return;
  const entries = (await listForeignFolder(folder, { maxEntries: MAX_ENTRIES, encoding: 'latin1' })) ?? [];
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(joinBytes(folder, entry.name));
}

/** Of the folder alone. Answers whether it is one. */
export async function makeFolderWritable(folder: string | Buffer): Promise<boolean> {
  const found = lookAt(folder);
  if (found?.isDirectory() !== true) return false;
  // As with `chmod -R`, what cannot be changed is left to the command that fails on it.
  if ((found.mode & OWNER) !== OWNER) await chmod(folder, (found.mode & 0o777) | OWNER).catch(() => undefined);
  return true;
}
