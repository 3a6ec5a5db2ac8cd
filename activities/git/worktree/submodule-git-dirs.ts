/**
 * Where git keeps the git dirs of submodules: below `modules` of a repository and of each of its worktrees, and of each such git dir. A person's `git status`
 * starts a git in each submodule, with the config that lies there.
 */
import { dirname, join } from 'node:path';
import { readWorktreePath } from '../refs/worktree-registration.js';
import { listWatchedFolder } from '../start/list-watched-folder.js';

/** A name may have slashes, so there are folders between. Far more than any repository has. */
const MAX_FOLDERS = 2_000;

export interface SubmoduleGitDirs {
  readonly dirs: readonly string[];
  /** Folders that were not looked through, and what is known of them. */
  readonly unread: Readonly<Record<string, string>>;
}

/** Links are followed, as git does; a ring of them ends at the bound. Of the worktrees of runs, which lie side by side, only `own` counts: each run looks at its own. */
export async function findSubmoduleGitDirs(commonDir: string, own: string): Promise<SubmoduleGitDirs> {
  const dirs: string[] = [];
  const unread: Record<string, string> = {};
  const list = async (folder: string) => {
    const entries = await listWatchedFolder(folder, MAX_FOLDERS);
    if (typeof entries !== 'string')
      return entries.filter((entry) => !entry.isFile() || entry.name === 'HEAD').map(({ name }) => name);
    unread[folder] = entries;
    return [];
  };
  const worktrees = join(commonDir, 'worktrees');
  const folders = [join(commonDir, 'modules')];
  for (const name of await list(worktrees)) {
    const worktree = await readWorktreePath(join(worktrees, name));
    if (worktree === own || dirname(worktree) !== dirname(own)) folders.push(join(worktrees, name, 'modules'));
  }
  const last = folders.length + MAX_FOLDERS;
  // It grows while it is gone through.
  for (const folder of folders) {
    const names = await list(folder);
    const isGitDir = names.includes('HEAD');
    if (isGitDir) dirs.push(folder);
    folders.push(...names.filter((name) => !isGitDir || name === 'modules').map((name) => join(folder, name)));
    if (folders.length <= last) continue;
    unread[join(commonDir, 'modules')] = `more than ${MAX_FOLDERS} folders`;
    break;
  }
  return { dirs, unread };
}
