/** Lists a folder that is watched. One that cannot be listed in whole is told apart from an empty one, else whoever fills it would switch the watch off. */
import type { Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf } from '../../config/error-code.js';
import { listForeignFolder } from '../../config/foreign-file.js';

/** Entries, none where there is no folder; or what is told of a folder in their place, to be compared. */
export async function listWatchedFolder(folder: string, maxEntries: number): Promise<readonly Dirent[] | string> {
  const entries = await listForeignFolder(folder, { maxEntries });
  if (entries !== null) return entries;
  const found = await stat(folder).catch((error: unknown) => (isAbsent(error) ? null : { ctimeMs: codeOf(error) }));
  // Its time tells of a name that comes or goes; nobody can set it.
  return found === null ? [] : `more than ${maxEntries} entries, or none that can be read, since ${found.ctimeMs}`;
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
