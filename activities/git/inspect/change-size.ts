/**
 * Refuses a change that is too large to be committed, before git reads any of it: a sparse file of 100 GB takes no room and `truncate` makes
 * it at once, but hashing it holds a run for a quarter of an hour. It sums the sizes that the file system tells; nothing is opened.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../start/contract.js';
import { WorktreeViolation } from '../start/worktree-violation.js';

/** Bytes of all changed files together. Source: the largest push that GitHub takes, 2 GB. */
const MAX_CHANGE_BYTES = 2_000_000_000;

/** Stat calls that run at once. */
const BATCH = 256;

/** Errors: `WorktreeViolation`, which names the largest file. */
export async function assertCommittable(workTree: string, changes: readonly Change[]): Promise<void> {
  const kept = changes.filter(({ status }) => status !== 'deleted');
  let total = 0;
  let largest = { path: '', bytes: 0 };
  for (let i = 0; i < kept.length; i += BATCH) {
    const sized = await Promise.all(
      kept.slice(i, i + BATCH).map(async ({ path }) => ({ path, bytes: await bytesOf(join(workTree, path)) })),
    );
    for (const file of sized) {
      total += file.bytes;
      if (file.bytes > largest.bytes) largest = file;
    }
  }
  if (total <= MAX_CHANGE_BYTES) return;
  const sizes = `${inMegabytes(total)} MB, the largest file ${JSON.stringify(largest.path)} ${inMegabytes(largest.bytes)} MB`;
  throw new WorktreeViolation(`the change has ${sizes}; a commit takes at most ${inMegabytes(MAX_CHANGE_BYTES)} MB`, [
    largest.path,
  ]);
}

/** A symlink has the length of its target; what is no file, or gone, is git's business. */
async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null);
  return found?.isFile() === true ? found.size : 0;
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
