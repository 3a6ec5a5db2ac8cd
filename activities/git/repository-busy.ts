/** Tells git's own "somebody else holds that file" from a real failure, so that callers try again. The only place that reads such words. */
import { GitError } from './run-git.js';

/** Samples of every alternative: test/unit/git/repository-busy.test.ts. */
const BUSY =
  /\.lock'?: File exists|[Uu]nable to create .*\.lock|could not lock|cannot lock ref|could not create directory of|could not create leading directories of/;

export function isRepositoryBusy(error: unknown): boolean {
  return error instanceof GitError && BUSY.test(error.result.stderr);
}
