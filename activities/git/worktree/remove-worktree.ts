/**
 * Takes a run's worktree away as `addWorktree` made it: the folder, its registration in the repository, the owner's mark beside it, in this order,
 * so that what a kill leaves is found again by the next call. Git's own `worktree remove` is not asked: it trusts the worktree's `.git` file,
 * which an agent can write. What lies behind a symlink stays.
 */
import { rm } from 'node:fs/promises';
import { codeOf } from '../../../config/system/error-code.js';
import { lookAt } from '../../../config/system/look-at.js';
import { findAdminDir } from '../refs/worktree-registration.js';
import { withRepositoryLock } from '../start/repository-lock.js';
import { makeWritable } from './make-writable.js';
import { dropOwner } from './owner-mark.js';
import { shortenPaths } from './short-paths.js';

/** Answers whether anything was there. Effects: what was moved aside beside the worktree stays, for it may be a person's. */
export async function removeWorktree(commonDir: string, path: string): Promise<boolean> {
  return withRepositoryLock(commonDir, async () => {
    const hadFolder = await removeFolder(path);
    const adminDir = await findAdminDir(commonDir, path);
    if (adminDir !== null) await rm(adminDir, { recursive: true, force: true });
    await dropOwner(path);
    return hadFolder || adminDir !== null;
  });
}

/** Answers whether it was there. */
export async function removeFolder(path: string): Promise<boolean> {
  if (lookAt(path) === null) return false;
  try {
    await removeAll(path);
  } catch (error) {
    if (!REMOVABLE_YET.has(codeOf(error))) throw error;
    // A module cache of Go is read-only.
    await makeWritable(path);
    await shortenPaths(path);
    await removeAll(path);
  }
  return true;
}

const REMOVABLE_YET: ReadonlySet<string | null> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG']);

function removeAll(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}
