/** One file of a commit, as stored: no filter, no text conversion. */
import type { Repository } from '../start/contract.js';
import { GitError, ON_REAL_REPOSITORY, tryGit } from '../start/run-git.js';

/** Unit: bytes. A config has 256 KB at most; one of some megabytes is told by its own size. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Null if the commit has no file of that path. Errors: `GitError` for one that cannot be read: its object is gone, or has more than a config. */
export async function readFileAt(repository: Repository, commit: string, path: string): Promise<string | null> {
  const name = `${commit}:${path}`;
  const ask = (args: readonly string[]) =>
    tryGit([...ON_REAL_REPOSITORY, ...args], { gitDir: repository.commonDir, limits: { maxBytes: MAX_BYTES } });
  const read = ['cat-file', 'blob', name];
  const result = await ask(read);
  if (result.exitCode === 0) return result.stdout;
  // Needs the trees only.
  const named = await ask(['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
  if (named.exitCode === 0) throw new GitError(read, result);
  return null;
}
