/** What a folder of the home has in the folders of its repositories, such as the state of all runs, for what a worker looks after by itself. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export async function listByRepository(root: string): Promise<readonly string[]> {
  const repositories = await readdir(root).catch(() => []);
  const found = await Promise.all(
    repositories.map(async (repository) =>
      (await readdir(join(root, repository)).catch(() => [])).map((name) => join(root, repository, name)),
    ),
  );
  return found.flat();
}
