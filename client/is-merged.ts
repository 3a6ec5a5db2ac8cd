/** Whether a run's head is in its base branch, as git on this machine tells. A squash merge leaves no trace that it could see. */
import { join } from 'node:path';
import { runGit } from './run-git.js';

/** Null where it cannot be told: the repository, the branch or the commit is not here. */
export async function isMerged(root: string, head: string, baseBranch: string): Promise<boolean | null> {
  const git = (...args: string[]) => runGit(args, { cwd: root, gitDir: join(root, '.git') });
  const base = await git('rev-parse', '--verify', '--quiet', `refs/heads/${baseBranch}^{commit}`);
  const known = await git('cat-file', '-e', `${head}^{commit}`);
  if (base.kind !== 'ok' || known.kind !== 'ok') return null;
  return (await git('merge-base', '--is-ancestor', head, base.stdout.trim())).kind === 'ok';
}
