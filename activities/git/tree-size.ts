/**
 * Refuses a commit whose files nobody can have, before git makes an index, files or a diff of it, all of which it holds in memory first: a tree of 936 bytes can stand for 10^10 paths, and a pack of
 * 2 MB for gigabytes of zeros, which an agent or a repository writes in a moment. It asks for sizes alone; no blob is read.
 */
import type { GitLimits } from './run-git.js';
import type { GitResult } from './runner/start-git.js';
import { TooLarge } from './too-large.js';

/** Bytes of all files of a commit. Source: the largest checkouts that are known, of some 30 GB (Chromium). */
const MAX_CHECKOUT_BYTES = 100_000_000_000;

/** Of a commit. Source: twice the files of the largest open repositories (Chromium, some 450 000). */
const MAX_FILES = 1_000_000;

/** Unit: bytes of one line of the list that is counted. */
const LINE_BYTES = 2;

/** Unit: bytes of a line of sizes. */
const MAX_SIZE_BYTES = 20;

const LIMIT_MS = 3 * 60_000;

const UNTOUCHED = 'git was not let at it';

/** A private git dir, or whatever else sees the commit. */
interface GitOfObjects {
  try(args: readonly string[], input: { readonly limits: GitLimits }): Promise<GitResult>;
}

/** What was found of a commit; null: it fits. What an id names never changes. */
const known = new Map<string, TooLarge | null>();

const MAX_KNOWN = 10_000;

/** Of a commit that the engine made of a work tree: its files are on a disk. */
export function knowThatFits(commit: string): void {
  remember(commit, null);
}

/** Errors: `TooLarge`. A tree that cannot be read is left to whoever reads it; so is all of it to a git before 2.36, which has no `--format`. */
export async function assertTreeFits(git: GitOfObjects, commit: string): Promise<void> {
  const found = known.get(commit) ?? (known.has(commit) ? null : await look(git, commit));
  if (found !== null) throw found;
}

async function look(git: GitOfObjects, commit: string): Promise<TooLarge | null> {
  const list = (format: string, maxBytes: number) =>
    git.try(['ls-tree', '-r', `--format=${format}`, commit], { limits: { maxBytes, limitMs: LIMIT_MS } });
  const id = commit.slice(0, 12);
  // Counted first: a size costs git a look at the blob, which for so many takes minutes.
  const counted = await list('.', MAX_FILES * LINE_BYTES);
  if (counted.limit !== undefined) return remember(commit, new TooLarge(`the commit ${id} has more than a million files; ${UNTOUCHED}`));
  const sized = counted.exitCode === 0 ? await list('%(objectsize)', MAX_FILES * MAX_SIZE_BYTES) : counted;
  if (sized.exitCode !== 0) return null;
  // A submodule has no size.
  const total = sized.stdout.split('\n').reduce((sum, size) => sum + (Number.parseInt(size, 10) || 0), 0);
  if (total <= MAX_CHECKOUT_BYTES) return remember(commit, null);
  return remember(commit, new TooLarge(`the files of the commit ${id} have ${Math.round(total / 1e9)} GB; ${UNTOUCHED}`));
}

function remember(commit: string, found: TooLarge | null): TooLarge | null {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(commit, found);
  return found;
}
