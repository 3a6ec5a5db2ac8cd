/**
 * Lists what differs between the work tree and the commit that the private git dir stands at, in one process.
 * Submodules are compared by their commit only: `git status` would otherwise start a git inside one, with that one's config.
 */

import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { decodeBytes, encodeBytes } from '../start/byte-path.js';
import type { Change, ChangeStatus } from '../start/contract.js';
import { splitNul } from '../start/run-git.js';
import { lookAndKeep } from './fresh-index.js';

/** Folders are remembered too, which git does for a look at all files only where that is the config's own word (dir.c). */
const REMEMBERING = ['-c', 'core.untrackedCache=true', '-c', 'status.showUntrackedFiles=all'];

/** Arguments of git. */
export const LIST_IGNORED = ['ls-files', '-o', '-i', '-z', '--exclude-standard', '--directory'] as const;

/** Empty = clean. Untracked files count, ignored and protected ones do not. A nested repository is one entry, its folder. */
export async function listChanges(git: PrivateGitDir): Promise<readonly Change[]> {
  const output = await lookAndKeep(git, [
    ...REMEMBERING,
    'status',
    '-z',
    '--porcelain=v1',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=dirty',
  ]);
  return splitNul(output)
    .map((record) => ({ ...namedBy(record.slice(3).replace(/\/$/, '')), status: statusOf(record.slice(0, 2)) }))
    .filter(({ path }) => !git.isProtected(path));
}

/** Only files that the commit has, whatever is untracked. */
export async function listTrackedChanges(git: PrivateGitDir): Promise<readonly string[]> {
  const output = await git.run([
    'status',
    '-z',
    '--porcelain=v1',
    '--untracked-files=no',
    '--no-renames',
    '--ignore-submodules=dirty',
  ]);
  return splitNul(output).map((record) => record.slice(3));
}

function namedBy(bytes: string): Pick<Change, 'path' | 'bytes'> {
  const path = decodeBytes(bytes);
  return encodeBytes(path) === bytes ? { path } : { path, bytes };
}

/** X is the index against the commit, Y the work tree against the index (git-status.txt); both count, for a killed attempt may have staged. */
function statusOf(code: string): ChangeStatus {
  const [index, workTree] = [code[0], code[1]];
  if (code === '??' || (index === 'A' && workTree !== 'D')) return 'added';
  if (workTree === 'D' || (index === 'D' && workTree === ' ')) return 'deleted';
  if (index === 'T' || workTree === 'T') return 'type_changed';
  return 'modified';
}
