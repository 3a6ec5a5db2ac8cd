/**
 * Finds the local branch that a base names. Only the list of refs says how a branch is written: where names differ by case alone a file system may give one for the other,
 * and a queue of each would move the same branch.
 */
import { isSha } from '../refs/read-ref.js';
import type { Repository } from '../start/contract.js';
import { ON_REAL_REPOSITORY, runGit, tryGit } from '../start/run-git.js';

const BRANCHES = 'refs/heads/';

export type LandingBase =
  | { readonly kind: 'branch'; readonly branch: string; readonly sha: string }
  /** Nothing lands there. `is`: what has that name instead. */
  | { readonly kind: 'refused'; readonly is: 'head' | 'tag' | 'remote' | 'commit' | 'nothing' }
  /** A branch of that name in other letters. */
  | { readonly kind: 'refused'; readonly is: 'other_case'; readonly branch: string }
  /** A symbolic ref among the branches that points elsewhere. */
  | { readonly kind: 'refused'; readonly is: 'symbolic'; readonly to: string };

interface ListedRef {
  readonly name: string;
  readonly sha: string;
  /** Empty: the ref is none. */
  readonly symbolic: string;
}

/** Errors: `GitError` where the refs cannot be listed. */
export async function findLandingBase(repository: Repository, base: string): Promise<LandingBase> {
  if (base === 'HEAD' || base === '@') return { kind: 'refused', is: 'head' };
  const refs = await listRefs(repository, base);
  const named = refs.find(({ name }) => name === `${BRANCHES}${base}`);
  if (named !== undefined) {
    const { symbolic, sha } = named;
    return symbolic === '' || symbolic.startsWith(BRANCHES)
      ? { kind: 'branch', branch: base, sha }
      : { kind: 'refused', is: 'symbolic', to: symbolic };
  }
  const alike = refs.find(({ name }) => name.toLowerCase() === `${BRANCHES}${base}`.toLowerCase());
  if (alike !== undefined) return { kind: 'refused', is: 'other_case', branch: alike.name.slice(BRANCHES.length) };
  if (refs.some(({ name }) => name === `refs/tags/${base}`)) return { kind: 'refused', is: 'tag' };
  if (refs.some(({ name }) => name === `refs/remotes/${base}`)) return { kind: 'refused', is: 'remote' };
  return { kind: 'refused', is: (await isCommit(repository, base)) ? 'commit' : 'nothing' };
}

/** All branches, for on a file system without case a pattern finds one under any case; of tags and remotes those that the base may name. */
async function listRefs({ commonDir }: Repository, base: string): Promise<readonly ListedRef[]> {
  const others = base === '' || base.includes('\0') ? [] : [`refs/tags/${base}`, `refs/remotes/${base}`];
  const format = '--format=%(refname) %(objectname) %(symref)';
  const args = [...ON_REAL_REPOSITORY, 'for-each-ref', format, BRANCHES, ...others];
  const listed = await runGit(args, { gitDir: commonDir });
  return listed.split('\n').flatMap((line) => {
    const [name = '', sha = '', symbolic = ''] = line.split(' ');
    return isSha(sha) ? [{ name, sha, symbolic }] : [];
  });
}

async function isCommit({ commonDir }: Repository, base: string): Promise<boolean> {
  if (base === '' || base.includes('\0')) return false;
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`];
  return (await tryGit([...ON_REAL_REPOSITORY, ...args], { gitDir: commonDir })).exitCode === 0;
}
