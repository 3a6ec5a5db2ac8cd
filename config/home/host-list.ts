/** The repositories that this host serves, by real path: `sluice init` or the first `sluice run` in one adds it. */
import { realpathSync } from 'node:fs';
import { z } from 'zod';
import { codeOf } from '../system/error-code.js';
import { homePaths } from './home.js';
import { readJsonFile, updateJsonFile } from './private-file.js';

interface Stored {
  readonly version: 1;
  readonly repositories: readonly string[];
}

const shape: { schema: z.ZodType<Stored>; empty: Stored } = {
  schema: z.strictObject({ version: z.literal(1), repositories: z.array(z.string().min(1)).readonly() }),
  empty: { version: 1, repositories: [] },
};

/** Answers the real path. **Errors** the system's where the repository is not there. */
export async function addRepository(root: string, repo: string): Promise<string> {
  const realRepo = realpathSync(repo);
  await updateJsonFile(
    homePaths(root).repositories,
    shape,
    ({ repositories }): Stored => ({
      version: 1,
      repositories: repositories.includes(realRepo) ? repositories : [...repositories, realRepo],
    }),
  );
  return realRepo;
}

export function listRepositories(root: string): readonly string[] {
  return readJsonFile(homePaths(root).repositories, shape.schema, shape.empty).repositories;
}

/** False for a path that is not there, too. */
export function serves(root: string, repo: string): boolean {
  try {
    return listRepositories(root).includes(realpathSync(repo));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}
