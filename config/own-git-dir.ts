/**
 * Where the `.git` of a folder leads. Git also answers a work tree that `core.worktree` of a repository's config names, which may be any folder
 * above the repository, with a repository of its own: a run would begin there, and write there, though the person named another place.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** More than any path. */
const MAX_GIT_FILE_BYTES = 16 * 1024;

/** The real path of the git directory that `<root>/.git`, a folder or a file that names one, leads to; null: there is none. */
export function ownGitDir(root: string): string | null {
  const own = join(root, '.git');
  try {
    const found = statSync(own);
    if (found.isDirectory()) return realpathSync(own);
    if (!found.isFile() || found.size > MAX_GIT_FILE_BYTES) return null;
    const named = /^gitdir: ([^\0]+?)\n*$/.exec(readFileSync(own, 'utf8'))?.[1];
    return named === undefined ? null : realpathSync(resolve(root, named));
  } catch {
    return null;
  }
}
