/** Tells git's trouble that lies in the repository or a worktree, where asking again changes nothing, from trouble that passes with time. */

import { SymlinkInTheWay } from './no-symlink.js';
import { isHostTrouble, isRepositoryBusy } from './repository-busy.js';
import { RepositoryGone } from './repository-gone.js';
import { GitError } from './run-git.js';
import { TooLarge } from './too-large.js';
import { WorktreeViolation } from './worktree-violation.js';

/** One clause; null: it may pass with time, or git did not say it. */
export function lastingTrouble(error: unknown): string | null {
  if (error instanceof WorktreeViolation || error instanceof SymlinkInTheWay) return error.message;
  if (error instanceof RepositoryGone || error instanceof TooLarge) return error.message;
  if (!(error instanceof GitError) || isRepositoryBusy(error) || isHostTrouble(error)) return null;
  const line = error.result.stderr.split('\n').find((text) => text.trim() !== '');
  return line?.trim() ?? `git ${error.args[0] ?? ''} ended with exit code ${error.result.exitCode}`;
}
