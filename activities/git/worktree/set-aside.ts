/**
 * Takes what somebody did in the worktree while no agent was at work out of the way of a reset: files go, by rename and with their paths, into a
 * folder beside the worktree. Nothing is deleted. A file that somebody deleted is no loss, and a submodule at another commit stays.
 */
import { lstat, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { encodeBytes, joinBytes } from '../start/byte-path.js';
import type { Change } from '../start/contract.js';
import { assertNoSymlink } from '../start/no-symlink.js';

export interface SetAside {
  /** Absolute: `.<name of the worktree>.found-<time>`. */
  readonly folder: string;
  /** Relative to the worktree, and to the folder. */
  readonly paths: readonly string[];
}

/** Null: there was nothing to keep. `changes`: of a worktree that is a real folder. Errors: SymlinkInTheWay. */
export async function setAside(worktree: string, changes: readonly Change[]): Promise<SetAside | null> {
  const folder = join(dirname(worktree), `.${basename(worktree)}.found-${Date.now()}`);
  const paths: string[] = [];
  for (const { path, bytes = encodeBytes(path), status } of changes) {
    const at = joinBytes(worktree, bytes);
    const found = await lstat(at).catch(() => null);
    if (found === null || (found.isDirectory() && status !== 'added')) continue;
    const above = posix.dirname(bytes);
    await assertNoSymlink(worktree, Buffer.from(above, 'latin1'));
    await mkdir(joinBytes(folder, above), { recursive: true, mode: 0o700 });
    await rename(at, joinBytes(folder, bytes));
    paths.push(path);
  }
  return paths.length === 0 ? null : { folder, paths };
}
