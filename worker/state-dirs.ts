/** The state folders of all runs of a home, for what a worker looks after by itself. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function stateDirs(root: string): Promise<readonly string[]> {
  const repositories = await readdir(root).catch(() => []);
  const runs = await Promise.all(
    repositories.map(async (repository) =>
      (await readdir(join(root, repository)).catch(() => [])).map((run) => join(root, repository, run)),
    ),
  );
  return runs.flat();
}
