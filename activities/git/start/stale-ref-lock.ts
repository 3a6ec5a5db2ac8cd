/**
 * A git that was killed while it moved a ref leaves the ref's lock file behind, and every later one finds the ref busy for ever. Only for refs of a run, which nobody but
 * its host is to write: a lock on one that has not changed for as long as this looks at it belongs to nobody. What it would have written is in the caller's hands.
 */
import { lstat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Measured by waiting, not by the file's time: a clock can be set. Git holds such a lock for milliseconds. */
export const STALE_AFTER_MS = 10_000;

/** Answers whether one was removed. */
export async function removeStaleLocks(
  commonDir: string,
  refs: readonly string[],
  staleAfterMs = STALE_AFTER_MS,
): Promise<boolean> {
  const paths = refs.map((ref) => join(commonDir, `${ref}.lock`));
  const before = await Promise.all(paths.map(identityOf));
  if (before.every((identity) => identity === null)) return false;
  await delay(staleAfterMs);
  let removed = false;
  for (const [index, path] of paths.entries()) {
    const seen = before[index] ?? null;
    if (seen === null || (await identityOf(path)) !== seen) continue;
    await unlink(path).catch(() => undefined);
    removed = true;
  }
  return removed;
}

async function identityOf(path: string): Promise<string | null> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.ino} ${found.mtimeNs} ${found.size}`;
}
