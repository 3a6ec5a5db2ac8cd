/** The repositories that this host serves, by real path: `sluice init` or the first `sluice run` in one adds it. */
import { realpathSync } from 'node:fs';
import { isRecord } from '../../protocol/text/json.js';
import { codeOf } from '../system/error-code.js';
import { homePaths } from './home.js';
import { readJsonFile, type Schema, updateJsonFile } from './private-file.js';

interface Stored {
  readonly version: 1;
  readonly repositories: readonly string[];
}

/** By hand: every `sluice list` reads it, and zod takes as long to load as all the rest of that. */
const shape: { schema: Schema<Stored>; empty: Stored } = {
  schema: {
    parse(value) {
      if (!isStored(value)) throw new Error('not a list of repositories');
      return value;
    },
  },
  empty: { version: 1, repositories: [] },
};

function isStored(value: unknown): value is Stored {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  const { version, repositories } = value;
  return (
    version === 1 &&
    Array.isArray(repositories) &&
    repositories.every((path) => typeof path === 'string' && path !== '')
  );
}

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
