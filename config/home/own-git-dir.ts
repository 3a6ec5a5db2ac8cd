/**
 * Where the `.git` of a folder leads. Git also answers a work tree that `core.worktree` of a repository's config names, which may be any folder
 * above the repository, with a repository of its own: a run would begin there, and write there, though the person named another place.
 */
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readForeignFileSync, textOf } from '../system/foreign-file.js';

/** More than any path. */
const MAX_GIT_FILE_BYTES = 16 * 1024;

/** The real path of the git directory that `<root>/.git`, a folder or a file that names one, leads to; null: there is none. */
export function ownGitDir(root: string): string | null {
  const own = join(root, '.git');
  try {
    if (statSync(own).isDirectory()) return realpathSync(own);
    const text = textOf(readForeignFileSync(own, { maxBytes: MAX_GIT_FILE_BYTES, links: 'followed' })) ?? '';
    const named = /^gitdir: ([^\0]+?)\n*$/.exec(text)?.[1];
    return named === undefined ? null : realpathSync(resolve(root, named));
  } catch {
    return null;
  }
}
