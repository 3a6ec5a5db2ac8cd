/**
 * Checks the path of everything that the engine writes: no component may be a symlink, for an agent can plant one that leads out
 * of the worktree or the repository. It is checked right before the write; nothing of the turn lives by then, so nothing races it.
 */
import { lstat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { decodeBytes, encodeBytes, joinBytes } from './byte-path.js';

/** Somebody put a symlink where the engine must write. */
export class SymlinkInTheWay extends Error {
  override readonly name = 'SymlinkInTheWay';
}

/**
 * Refuses `relative` below `root` if it leads outside or if one of its existing components is a symlink; `root` itself is not looked at.
 * Errors: `SymlinkInTheWay`, which names the component; a plain `Error` for a path that leads outside.
 */
export async function assertNoSymlink(root: string, relative: string | Buffer): Promise<void> {
  const bytes = typeof relative === 'string' ? encodeBytes(relative) : relative.toString('latin1');
  const parts = bytes.split(sep).filter((part) => part !== '' && part !== '.');
  if (isAbsolute(bytes) || parts.includes('..'))
    throw new Error(`${JSON.stringify(decodeBytes(bytes))} leads out of ${root}`);
  for (const index of parts.keys()) {
    const path = parts.slice(0, index + 1).join(sep);
    if (!(await isSymlink(joinBytes(root, path)))) continue;
    const shown = JSON.stringify(join(root, decodeBytes(path)));
    throw new SymlinkInTheWay(`${shown} is a symlink; the engine does not write through one`);
  }
}

/** Whether a symlink lies at `path`; false if nothing does. */
async function isSymlink(path: Buffer): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isSymbolicLink() ?? false;
}
