/**
 * Refuses a commit whose files nobody can have, before git makes an index, files or a diff of it, all of which it holds in memory first: a tree of 936 bytes can stand for 10^10 paths, and a pack of
 * 2 MB for gigabytes of zeros, which an agent or a repository writes in a moment. It asks for sizes alone; no blob is read.
 */

import type { GitResult } from '../runner/start-git.js';
import { GitError, type GitLimits } from '../start/run-git.js';
import { TooLarge } from '../start/too-large.js';

/** Bytes of all files of a commit. Source: the largest checkouts that are known, of some 30 GB (Chromium). */
const MAX_CHECKOUT_BYTES = 100_000_000_000;

/** Unit: bytes of the list of a commit's files, some 130 of them a file. Source: twice that of the largest open repositories (Chromium, some 450 000 files). */
const MAX_LIST_BYTES = 128 * 1024 * 1024;

/** `<mode> blob <id> <size> TAB <path> NUL`. A submodule has no size; a path has no NUL, so that none can pass for a size. */
const SIZE = /(?:^|\0)\d+ blob \w+ +(\d+)\t/g;

const UNTOUCHED = 'git was not let at it';

/** A private git dir, or whatever else sees the commit. */
interface GitOfObjects {
  try(args: readonly string[], input: { readonly limits: GitLimits }): Promise<GitResult>;
}

/** What was found of a commit; null: it fits. What an id names never changes. */
const known = new Map<string, TooLarge | null>();

const MAX_KNOWN = 10_000;

/** Of a commit that the engine made of a work tree, whose files are on a disk, or with the tree of one that fits. */
export function knowThatFits(commit: string): void {
  remember(commit, null);
}

/** False too where nobody has looked, or could not. */
export function isKnownToFit(commit: string): boolean {
  return known.get(commit) === null;
}

/** Errors: `TooLarge`; `GitError` where git took too long, which says nothing of the commit. A tree that cannot be read is left to whoever reads it. */
export async function assertTreeFits(git: GitOfObjects, commit: string): Promise<void> {
  const found = known.get(commit) ?? (known.has(commit) ? null : await look(git, commit));
  if (found !== null) throw found;
}

/** One process: the list is judged by its length first, which ends git at a list that nobody can have. Any git knows `-l`. */
async function look(git: GitOfObjects, commit: string): Promise<TooLarge | null> {
  const args = ['ls-tree', '-r', '-l', '-z', commit];
  const listed = await git.try(args, { limits: { maxBytes: MAX_LIST_BYTES } });
  const id = commit.slice(0, 12);
  // It says nothing of the commit, so it is not remembered.
  if (listed.limit === 'time') throw new GitError(args, listed);
  if (listed.limit === 'output')
    return remember(commit, new TooLarge(`the commit ${id} has more files than any repository; ${UNTOUCHED}`));
  if (listed.exitCode !== 0) return null;
  let total = 0;
  for (const [, size] of listed.stdout.matchAll(SIZE)) total += Number(size);
  if (total <= MAX_CHECKOUT_BYTES) return remember(commit, null);
  return remember(
    commit,
    new TooLarge(`the files of the commit ${id} have ${Math.round(total / 1e9)} GB; ${UNTOUCHED}`),
  );
}

function remember(commit: string, found: TooLarge | null): TooLarge | null {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(commit, found);
  return found;
}
