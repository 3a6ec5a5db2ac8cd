/**
 * Checks the path of everything that the engine writes: no component may be a symlink, for an agent can plant one that leads out
 * of the worktree or the repository. It is checked right before the write; nothing of the turn lives by then, so nothing races it.
 */
import { lstat } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';

/** Somebody put a symlink where the engine must write. */
export class SymlinkInTheWay extends Error {
  override readonly name = 'SymlinkInTheWay';
}

/**
 * Refuses `relative` below `root` if it leads outside or if one of its existing components is a symlink; `root` itself is not looked at.
 * Errors: `SymlinkInTheWay`, which names the component; a plain `Error` for a path that leads outside.
 */
export async function assertNoSymlink(root: string, relative: string): Promise<void> {
  const parts = relative.split(sep).filter((part) => part !== '' && part !== '.');
  if (isAbsolute(relative) || parts.includes('..')) throw new Error(`${JSON.stringify(relative)} leads out of ${root}`);
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (await isSymlink(path))
      throw new SymlinkInTheWay(`${JSON.stringify(path)} is a symlink; the engine does not write through one`);
  }
}

/** Whether a symlink lies at `path`; false if nothing does. */
async function isSymlink(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isSymbolicLink() ?? false;
}
