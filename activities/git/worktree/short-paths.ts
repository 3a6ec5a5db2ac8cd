/**
 * Moves up what lies so deep that no path can name it: relative steps (`mkdir x; cd x`) get an agent below any limit of the system,
 * and from outside nothing down there could be removed. Only for a folder that is about to be removed.
 */
import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { listForeignFolder } from '../../../config/system/foreign-file.js';
import { joinBytes } from '../start/byte-path.js';

/** Half of what Linux takes (PATH_MAX, 4096); macOS takes 1024. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 2_000 : 500;

/** Of one folder; a larger one is left as it is. */
const MAX_ENTRIES = 200_000;

/** Symlinks are not followed. */
export async function shortenPaths(root: string): Promise<void> {
  const folders: (string | Buffer)[] = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = (await listForeignFolder(folder, { maxEntries: MAX_ENTRIES, encoding: 'latin1' })) ?? [];
    for (const entry of entries.filter((one) => one.isDirectory())) {
      const path = joinBytes(folder, entry.name);
      if (path.length <= MAX_PATH_BYTES) folders.push(path);
      else {
        const short = joinBytes(root, randomUUID());
        await rename(path, short);
        folders.push(short);
      }
    }
  }
}
