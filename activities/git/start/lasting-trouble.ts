/** Tells trouble that lies in the repository or a worktree, where asking again changes nothing, from trouble that passes with time. */

import { codeOf, messageOf } from '../../../config/system/error-code.js';
import { SymlinkInTheWay } from './no-symlink.js';
import { isHostTrouble, isRepositoryBusy } from './repository-busy.js';
import { RepositoryGone } from './repository-gone.js';
import { GitError } from './run-git.js';
import { TooLarge } from './too-large.js';
import { WorktreeViolation } from './worktree-violation.js';

/** Codes of the system for a path that somebody made something else. No room, no memory and the like are not among them. */
const SHAPES: ReadonlySet<string | null> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTDIR',
  'ENOTEMPTY',
  'EPERM',
]);

/** One clause; null: it may pass with time, or neither git nor the file system said it. */
export function lastingTrouble(error: unknown): string | null {
  if (error instanceof WorktreeViolation || error instanceof SymlinkInTheWay) return error.message;
  if (error instanceof RepositoryGone || error instanceof TooLarge) return error.message;
  if (SHAPES.has(codeOf(error))) return messageOf(error);
  if (!(error instanceof GitError) || isRepositoryBusy(error) || isHostTrouble(error)) return null;
  const line = error.result.stderr.split('\n').find((text) => text.trim() !== '');
  return line?.trim() ?? `git ${error.args[0] ?? ''} ended with exit code ${error.result.exitCode}`;
}
