/** Tells git's own "somebody else holds that file" from a real failure, so that callers try again. The only place that reads such words. */
import { GitError } from './run-git.js';

/** The last one: git reads the admin folder of every worktree, also of one that another process is just making. Samples of every alternative: test/unit/git/repository-busy.test.ts. */
const BUSY =
  /\.lock'?: File exists|[Uu]nable to create .*\.lock|could not lock|cannot lock ref|could not create directory of|could not create leading directories of|failed to read .*\/worktrees\/.*\/(?:commondir|gitdir|HEAD)/;

export function isRepositoryBusy(error: unknown): boolean {
  return error instanceof GitError && BUSY.test(error.result.stderr);
}
