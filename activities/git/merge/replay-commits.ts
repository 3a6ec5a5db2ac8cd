/**
 * Puts the commits of a head on its base, one after the other, without a checkout: each with its own author, date and message, and the tree that the base and that commit come to, so that
 * the last has the tree of the merge. It writes objects and no ref; the same request makes the same commits.
 */
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { commitEnv } from '../run/commit.js';
import type { Identity } from '../start/contract.js';
import { splitNul } from '../start/run-git.js';
import { mergeTrees } from './merge-trees.js';

export interface ReplayRequest {
  readonly ours: string;
  readonly theirs: string;
  readonly treeOfOurs: string;
  /** Of both. */
  readonly merged: string;
  readonly identity: Identity;
  /** ISO; of the committer. */
  readonly claimedAt: string;
}

/** Each is a merge and a commit. */
const MAX_COMMITS = 100;

const LIMITS = { maxBytes: 4 * 1024 * 1024, limitMs: 60_000 };

interface OwnCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: readonly [name: string, email: string, date: string];
  readonly message: string;
}

/** The last of them, `theirs` itself where it is a line from `ours` on. Null: they are no line, are too many, or one of them is in conflict though all of them together are not. */
export async function replayCommits(git: PrivateGitDir, request: ReplayRequest): Promise<string | null> {
  const { ours, theirs, treeOfOurs, merged } = request;
  const commits = await commitsSince(git, ours, theirs);
  if (commits === null || commits.some(({ parents }) => parents.length !== 1)) return null;
  let [last, tree] = [ours, treeOfOurs];
  for (const commit of commits) {
    const made = commit.sha === theirs ? merged : await treeOf(git, ours, commit.sha);
    if (made === null) return null;
    if (commit.parents[0] === last) last = commit.sha;
    else if (made !== tree) {
      const next = await commitOn(git, { on: last, tree: made, commit }, request);
      if (next === null) return null;
      last = next;
    }
    tree = made;
  }
  return last;
}

async function treeOf(git: PrivateGitDir, ours: string, theirs: string): Promise<string | null> {
  const made = await mergeTrees(git, { ours, theirs, madeOn: null });
  return made.kind === 'merged' ? made.tree : null;
}

async function commitOn(
  git: PrivateGitDir,
  { on, tree, commit }: { readonly on: string; readonly tree: string; readonly commit: OwnCommit },
  request: ReplayRequest,
): Promise<string | null> {
  const [name, email, date] = commit.author;
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` };
  const env = { ...commitEnv(request), ...author };
  // Somebody's name that git takes no more.
  const made = await git.try(['commit-tree', tree, '-p', on, '-F', '-'], { input: commit.message, env });
  return made.exitCode === 0 ? made.stdout.trim() : null;
}

/** Oldest first; null: too many, or more than git tells of them. */
async function commitsSince(git: PrivateGitDir, ours: string, theirs: string): Promise<readonly OwnCommit[] | null> {
  const format = '--format=%H%n%P%n%an%n%ae%n%ad%n%B';
  const order = ['--topo-order', '--reverse', `--max-count=${MAX_COMMITS + 1}`];
  const args = ['log', '-z', format, '--date=raw', '--encoding=UTF-8', '--no-show-signature', ...order];
  const said = await git.try([...args, theirs, '--not', ours, '--'], { limits: LIMITS });
  if (said.exitCode !== 0) return null;
  const commits = splitNul(said.stdout).map((record): OwnCommit => {
    const [sha = '', parents = '', name = '', email = '', date = '', ...message] = record.split('\n');
    return { sha, parents: parents.split(' '), author: [name, email, date], message: message.join('\n') };
  });
  return commits.length <= MAX_COMMITS ? commits : null;
}
