/**
 * Replaces a file by temp file and rename, so that a reader or a kill meets the old text or the new one.
 * A symlink at the path itself is replaced, not followed; callers check the folders above it (`assertNoSymlink`).
 */

import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

export async function replaceFile(path: string, data: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, data, { flag: 'wx', mode: 0o600 });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
