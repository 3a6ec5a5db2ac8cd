/** Lists a folder that is watched. One that cannot be listed in whole is told apart from an empty one, else whoever fills it would switch the watch off. */
import { type Dirent, statSync } from 'node:fs';
import { codeOf } from '../../../config/system/error-code.js';
import { listForeignFolder } from '../../../config/system/foreign-file.js';

/** Entries, none where there is no folder; or what is told of a folder in their place, to be compared. */
export async function listWatchedFolder(folder: string, maxEntries: number): Promise<readonly Dirent[] | string> {
  const entries = await listForeignFolder(folder, { maxEntries });
  if (entries !== null) return entries;
  // Its time tells of a name that comes or goes; nobody can set it.
  const since = lastChange(folder);
  return since === null ? [] : `more than ${maxEntries} entries, or none that can be read, since ${since}`;
}

/** Null: there is no such folder, as in most repositories for most of what is watched. */
function lastChange(folder: string): number | string | null {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? null;
  } catch (error) {
    return codeOf(error);
  }
}
