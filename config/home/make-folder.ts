/** Makes a folder of a sluice home and what leads to it, 0700. It needs nothing but node: the guard loads it. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../system/error-code.js';

/** **Idempotency** a folder that is there stays as it is. **Errors** those of the system. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Of a file system that is read-only node says ENOENT, but only of the recursive form.
    if (codeOf(error) === 'ENOENT') mkdirSync(firstMissing(path), { mode: 0o700 });
    throw error;
  }
}

function firstMissing(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? path : firstMissing(parent);
}
