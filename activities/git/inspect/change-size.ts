/**
 * Refuses a change that is too large to be committed, before git reads any of it: a sparse file of 100 GB takes no room and `truncate` makes
 * it at once, but hashing it holds a run for a quarter of an hour. It sums the sizes that the file system tells; nothing is opened.
 */
import type { Change } from '../start/contract.js';
import { WorktreeViolation } from '../start/worktree-violation.js';
import { statEach } from './stat-each.js';

/** Bytes of all changed files together. Source: the largest push that GitHub takes, 2 GB. */
export const MAX_CHANGE_BYTES = 2_000_000_000;

/** Errors: `WorktreeViolation`, which names the largest file. */
export async function assertCommittable(workTree: string, changes: readonly Change[]): Promise<void> {
  const kept = changes.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  let total = 0;
  let largest = { path: '', bytes: 0 };
  await statEach(workTree, kept, (found, path) => {
    // A symlink has the length of its target; what is no file, or gone, is git's business.
    const bytes = found?.isFile() === true ? Number(found.size) : 0;
    total += bytes;
    if (bytes > largest.bytes) largest = { path, bytes };
  });
  if (total <= MAX_CHANGE_BYTES) return;
  const sizes = `${inMegabytes(total)} MB, the largest file ${JSON.stringify(largest.path)} ${inMegabytes(largest.bytes)} MB`;
  throw new WorktreeViolation(`the change has ${sizes}; a commit takes at most ${inMegabytes(MAX_CHANGE_BYTES)} MB`, [
    largest.path,
  ]);
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
