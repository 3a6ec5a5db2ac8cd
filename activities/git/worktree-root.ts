/**
 * Looks at the folder of a worktree before anything is read from it or written into it: an agent can remove it, or put a symlink or
 * somebody's folder in its place. What is found there is only ever renamed, never deleted, for it may be all that somebody has.
 * Nothing of the turn lives by then, so nothing races the look.
 */
import { lstat, mkdir, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listForeignFolder } from '../../config/foreign-file.js';
import { isSymlink } from './no-symlink.js';
import { readTextIfThere } from './read-ref.js';
import { WorktreeViolation } from './worktree-violation.js';

export type RootReading =
  | { readonly kind: 'whole' }
  /** One clause for people. */
  | { readonly kind: 'destroyed'; readonly why: string };

/** Whether this is still the worktree that the engine made: a folder at its real place with a `.git` file of its own. */
export async function readRoot(worktree: string): Promise<RootReading> {
  const wrong = await wrongPlace(worktree);
  if (wrong !== null) return { kind: 'destroyed', why: wrong };
  const own = join(worktree, '.git');
  const text = (await isSymlink(own)) ? null : await readTextIfThere(own);
  return text?.startsWith('gitdir: ') === true
    ? { kind: 'whole' }
    : { kind: 'destroyed', why: text === null ? 'the .git file of the worktree is gone' : 'the .git file of the worktree is not its own' };
}

/** Errors: `WorktreeViolation`. */
export async function assertRealRoot(worktree: string): Promise<void> {
  const wrong = await wrongPlace(worktree);
  if (wrong !== null) throw new WorktreeViolation(wrong);
}

/**
 * Makes sure that a real folder lies at the path.
 * Effects: what is no folder is moved aside.
 * Errors: `WorktreeViolation` if a folder above it is a symlink.
 */
export async function mendRoot(worktree: string): Promise<void> {
  const found = await lstat(worktree).catch(() => null);
  if (found !== null && !found.isDirectory()) await moveAside(worktree);
  await mkdir(worktree, { recursive: true, mode: 0o700 });
  await assertRealRoot(worktree);
}

/** Takes what is not the engine's worktree out of the way, ignored files too: a clean would delete what may be somebody's. */
export async function clearDestroyed(worktree: string): Promise<void> {
  const found = await lstat(worktree).catch(() => null);
  if (found === null) return;
  const isEmpty = found.isDirectory() && (await listForeignFolder(worktree, { maxEntries: 0 })) !== null;
  if (!isEmpty) await moveAside(worktree);
}

/** Renames within `folder`, where people find it: `.<name>.found-<time>`. */
export async function moveAside(path: string, folder = dirname(path)): Promise<void> {
  await rename(path, join(folder, `.${basename(path)}.found-${Date.now()}`));
}

async function wrongPlace(worktree: string): Promise<string | null> {
  const found = await lstat(worktree).catch(() => null);
  if (found === null) return 'the folder of the worktree is gone';
  if (found.isSymbolicLink()) return 'the folder of the worktree became a symlink';
  if (!found.isDirectory()) return 'the folder of the worktree became a file';
  return (await realpath(worktree)) === worktree ? null : 'a folder above the worktree became a symlink';
}
