/**
 * Looks at the work tree once with an index that keeps what the look found. Git reads and hashes a file at every look while the file is not older than the
 * index (racy-git.txt), and after a checkout that is all of them; git's other looks never write the index, for an agent may be at work meanwhile.
 *
 * The new index is taken only if no file that it holds changed in the second of the look or later: whatever happens to one afterwards gives it another time of
 * change (ctime), and nobody can set that one. Without this an agent that changes a file twice within a second, sets its time back and keeps its size would
 * not be seen. Seconds, since git may be built to compare no less. Not promised: a clock that is set back to the very second in which a file changed.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../../config/system/error-code.js';
import { areOlder } from '../inspect/index-times.js';
import type { PrivateGitDir } from '../inspect/private-git-dir.js';
import { readIndex } from '../refs/read-ref.js';

/** Of an index of some 700 files: below it a look takes less than keeping it does. */
const LEAST_BYTES = 64 * 1024;

const BYTES = { encoding: 'latin1' } as const;

/** Answers what git printed, a character for each byte. Idempotency: a kill leaves the old index, and a file that `reset` removes. */
export async function lookAndKeep(git: PrivateGitDir, args: readonly string[]): Promise<string> {
  const index = join(git.gitDir, 'index');
  if (!isWorthKeeping(index)) return git.run(args, BYTES);
  const fresh = `${index}.${randomUUID()}`;
  try {
    const second = linkNow(index, fresh);
    if (second === null) return await git.run(args, BYTES);
    const output = await git.run(args, { ...BYTES, env: { GIT_INDEX_FILE: fresh, GIT_OPTIONAL_LOCKS: '1' } });
    if (areOlder(await readIndex(fresh), second)) {
      utimesSync(fresh, second, second);
      renameSync(fresh, index);
    }
    return output;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** An index that was kept bears a whole second. */
function isWorthKeeping(index: string): boolean {
  const found = lstatSync(index, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size >= LEAST_BYTES && !Number.isInteger(found.mtimeMs / 1000);
}

/** The second of the file system's own clock; null: it is that in which the index was written, or there is no index any more. */
function linkNow(index: string, fresh: string): number | null {
  try {
    linkSync(index, fresh);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  // A new name is a change of the file.
  const { ctimeMs, mtimeMs } = lstatSync(fresh);
  const second = Math.floor(ctimeMs / 1000);
  return second > Math.floor(mtimeMs / 1000) ? second : null;
}
