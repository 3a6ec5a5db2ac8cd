/** One file of a commit, as stored: no filter, no text conversion. */
import { LastFew } from '../../../config/system/last-few.js';
import type { Repository } from '../start/contract.js';
import { GitError, ON_REAL_REPOSITORY, tryGit } from '../start/run-git.js';
import { isSha } from './read-ref.js';

/** Unit: bytes. A config has 256 KB at most; one of some megabytes is told by its own size. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What a commit says never changes, and each ask, step and task of a project wants the same file of the same commit: the last few are kept, by repository and full name. */
const kept = new LastFew<string | null>(16);
/** **Unit** characters. */
const MAX_KEPT_CHARS = 256 * 1024;

/** Null if the commit has no file of that path, or is not there. Errors: `GitError` for one that cannot be read: its object is gone, or has more than a config. */
export async function readFileAt(repository: Repository, commit: string, path: string): Promise<string | null> {
  const key = `${repository.commonDir}\0${commit}:${path}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const { text, isCertain } = await readFile(repository, commit, path);
  if (isCertain && isSha(commit) && (text?.length ?? 0) <= MAX_KEPT_CHARS) kept.keep(key, text);
  return text;
}

interface Read {
  readonly text: string | null;
  /** False where the commit itself could not be read: it may come yet. */
  readonly isCertain: boolean;
}

async function readFile(repository: Repository, commit: string, path: string): Promise<Read> {
  const ask = (args: readonly string[]) =>
    tryGit([...ON_REAL_REPOSITORY, ...args], { gitDir: repository.commonDir, limits: { maxBytes: MAX_BYTES } });
  const read = ['cat-file', 'blob', `${commit}:${path}`];
  const result = await ask(read);
  if (result.exitCode === 0) return { text: result.stdout, isCertain: true };
  // Needs the trees only.
  const listed = await ask(['ls-tree', '-z', '--end-of-options', commit, path]);
  if (listed.exitCode === 0 && listed.stdout !== '') throw new GitError(read, result);
  return { text: null, isCertain: listed.exitCode === 0 };
}
