/** Whether a commit lies in the history of another, in the repository as it is: also one that is shallow. */
import type { Repository } from '../start/contract.js';
import { ON_REAL_REPOSITORY, tryGit } from '../start/run-git.js';

/** `unreadable`: a commit that it depends on is not there. A commit counts as its own ancestor. */
export type Ancestry = 'ancestor' | 'no_ancestor' | 'unreadable';

export async function readAncestry({ commonDir }: Repository, ancestor: string, commit: string): Promise<Ancestry> {
  if (ancestor === commit) return 'ancestor';
  const args = [...ON_REAL_REPOSITORY, 'merge-base', '--is-ancestor', ancestor, commit];
  const { exitCode, stderr } = await tryGit(args, { gitDir: commonDir });
  if (exitCode === 0) return 'ancestor';
  // Git 2.39 says no where it could not read a commit on the way, but not silently.
  return exitCode === 1 && stderr === '' ? 'no_ancestor' : 'unreadable';
}
