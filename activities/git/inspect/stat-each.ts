/** What the file system says of many files of one folder, links not followed. */
import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';

/** Calls that run at once. */
const BATCH = 256;

/** `take` is given null for what is not there, or not ours to look at. Answers in the order of the paths. */
export async function statEach<T>(
  folder: string,
  paths: readonly string[],
  take: (found: BigIntStats | null, path: string) => T,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let i = 0; i < paths.length; i += BATCH) {
    const taken = paths
      .slice(i, i + BATCH)
      .map(async (path) => take(await lstat(join(folder, path), { bigint: true }).catch(() => null), path));
    all.push(...(await Promise.all(taken)));
  }
  return all;
}
