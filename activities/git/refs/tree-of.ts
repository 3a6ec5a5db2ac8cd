/** The tree of a commit. What a full name stands for never changes, and most that is asked about the engine has made itself, or asked about before. */
import { LastFew } from '../../../config/system/last-few.js';
import { isSha } from './read-ref.js';

const known = new LastFew<string>(1000);

/** A private git dir, or whatever else sees the commit. */
interface GitOfCommits {
  run(args: readonly string[]): Promise<string>;
}

/** Errors: `GitError` where git does not have the commit. */
export async function treeOf(git: GitOfCommits, commit: string): Promise<string> {
  const found = known.get(commit);
  if (found !== undefined) return found;
  const tree = (await git.run(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`])).trim();
  if (isSha(commit)) knowTree(commit, tree);
  return tree;
}

/** Of a commit that was just made. */
export function knowTree(commit: string, tree: string): void {
  known.keep(commit, tree);
}
