/**
 * Whether a link of a chain was made anew: a run may begin behind a candidate that never reached its base, since the base moved and the chain was made on that. What such a commit holds is
 * in the chain of today, if all that was merged into it is.
 */
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { treeOf } from '../refs/tree-of.js';
import { GitError } from '../start/run-git.js';
import { mergeTrees } from './merge-trees.js';

/** Of a chain; a person's history that is longer is none. */
const MAX_LINKS = 200;

/** Each commit that only `link` has, by first parents, is what git makes of the one before it and a head that lies in `on`. Errors: as of `mergeTrees`. */
export async function isMadeAnew(git: PrivateGitDir, { link, on }: Readonly<Record<'link' | 'on', string>>) {
  const args = ['rev-list', '--first-parent', '--parents', `--max-count=${MAX_LINKS + 1}`, link, `^${on}`, '--'];
  const listed = await git.try(args);
  // A commit that is not there.
  if (listed.exitCode === 128) return false;
  if (listed.exitCode !== 0) throw new GitError(args, listed);
  const links = listed.stdout.split('\n').filter((line) => line !== '');
  if (links.length === 0 || links.length > MAX_LINKS) return false;
  for (const line of links) {
    const [commit, before, head, ...more] = line.split(' ');
    if (commit === undefined || before === undefined || head === undefined || more.length > 0) return false;
    const asked = ['merge-base', '--is-ancestor', head, on];
    const inside = await git.try(asked);
    if (inside.exitCode > 1) throw new GitError(asked, inside);
    if (inside.exitCode !== 0 || !(await isPlainMerge(git, { commit, ours: before, theirs: head }))) return false;
  }
  return true;
}

/** Nobody put anything of their own into it. */
async function isPlainMerge(
  git: PrivateGitDir,
  { commit, ours, theirs }: Readonly<Record<'commit' | 'ours' | 'theirs', string>>,
): Promise<boolean> {
  const merge = await mergeTrees(git, { ours, theirs, madeOn: null });
  return merge.kind === 'merged' && merge.tree === (await treeOf(git, commit));
}
