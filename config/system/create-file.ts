/** Makes a file that was not there, whole or not at all: whoever reads it, after a kill too, reads all of it. */
import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { codeOf } from './error-code.js';

/** Answers true to the one who made it; false: something is there, be it a link that leads nowhere. **Errors** those of the disk; no part of it stays. */
export function createFile(path: string, content: string, mode: number): boolean {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, content, { mode, flag: 'wx' });
    putInPlace(temporary, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function putInPlace(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    // A file system without hard links, such as that of a memory stick. Source: link(2).
    if (codeOf(error) !== 'EPERM') throw error;
    copyFileSync(temporary, path, constants.COPYFILE_EXCL);
  }
}
