/**
 * Waits until whatever an agent does to these files once more would be seen. Git believes a file whose size and times, in seconds, are those in its index,
 * unless its mtime is not older than the index (racy-git.txt). One that was changed in this very second, with its mtime set back, could be changed again in
 * it and would pass for what was staged; from the next second on its ctime tells, which nobody can set.
 * Not promised: a clock that is set back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { statEach } from '../inspect/stat-each.js';
import type { Change } from '../start/contract.js';

const SECOND_NS = 1_000_000_000n;

/** By which the clock of a file system may be behind that of a process: a tick of the kernel, and some. */
const BEHIND_MS = 20;

export async function outwaitSetBack(workTree: string, changes: readonly Change[]): Promise<void> {
  const kept = changes.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  const second = Math.floor(Date.now() / 1000);
  const seconds = await statEach(workTree, kept, (found) => {
    // A name that is no UTF-8.
    if (found === null) return second;
    const changed = found.ctimeNs / SECOND_NS;
    return found.mtimeNs / SECOND_NS < changed ? Number(changed) : 0;
  });
  if (seconds.includes(second)) await delay((second + 1) * 1000 + BEHIND_MS - Date.now());
}
