/** One file of a commit, as stored: no filter, no text conversion. */
import type { Repository } from './contract.js';
import { ON_REAL_REPOSITORY, tryGit } from './run-git.js';

/** Null if the commit has no file of that path. */
export async function readFileAt(repository: Repository, commit: string, path: string): Promise<string | null> {
  const result = await tryGit([...ON_REAL_REPOSITORY, 'cat-file', 'blob', `${commit}:${path}`], { gitDir: repository.commonDir });
  return result.exitCode === 0 ? result.stdout : null;
}
