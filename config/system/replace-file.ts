/**
 * Replaces a small file by temp file and rename, so that a reader, a kill and a full disk meet the old content or the new one. 0600.
 * A link at the path itself is replaced, not followed; callers look at the folders above it. It needs nothing but node: the guard loads it.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** `flushed`: file and folder reach the disk, for a power cut. **Errors** those of the disk; the old file stays and no temp file is left. */
export function replaceFile(path: string, content: string | Uint8Array, kept: 'flushed' | 'written' = 'written'): void {
  // Random: a pid comes again in a container, and an agent could take a name that it can foresee.
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    withFile(openSync(temporary, 'wx', 0o600), (file) => {
      writeFileSync(file, content);
      if (kept === 'flushed') fsyncSync(file);
    });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (kept === 'flushed') flushFolder(dirname(path));
}

/** Its entries reach the disk. */
export function flushFolder(path: string): void {
  withFile(openSync(path, 'r'), fsyncSync);
}

function withFile(file: number, work: (file: number) => void): void {
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}
