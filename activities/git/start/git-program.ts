/**
 * Which git the engine starts, and the PATH that git finds its own helpers in: the worker's, without relative entries, `node_modules/.bin`,
 * and folders of repositories that runs work in, since agents can write there.
 * Looked up once; again when a repository or another PATH is met for the first time.
 */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isBelow, realPathOr } from '../../../config/system/paths.js';
import { programPath } from '../../../config/system/program-path.js';
import { resolveProgram } from '../../../config/system/resolve-program.js';

export interface GitProgram {
  /** Absolute. */
  readonly program: string;
  /** For git's environment. */
  readonly path: string;
}

const DEFAULT_PATH = '/usr/bin:/bin';

const repositories = new Set<string>();

let known: { readonly from: string; readonly count: number; readonly found: GitProgram } | null = null;

/** From now on nothing below this folder is started. */
export function neverStartBelow(folder: string): void {
  repositories.add(realPathOr(folder));
}

/** The folder that git would call the top of the work tree around `folder`, or null. Asks no git, for it decides which git may be asked. */
export function findRepositoryAround(folder: string): string | null {
  for (let root = realPathOr(folder); root !== dirname(root); root = dirname(root))
    if (existsSync(join(root, '.git'))) return root;
  // A folder that is no repository must not count as one: whoever names `/` would leave this host without git.
  return null;
}

/** Errors: plain Error if PATH holds no git that may be started. */
export function findGitProgram(): GitProgram {
  const from = process.env['PATH'] || DEFAULT_PATH;
  if (known?.from === from && known.count === repositories.size) return known.found;
  const entries = programPath(from).split(delimiter);
  const path = entries.filter((entry) => entry !== '' && !isBelowRepository(entry)).join(delimiter);
  const git = resolveProgram('git', { path, forbidden: [...repositories] });
  if (git.kind !== 'found')
    throw new Error(
      `there is no git on PATH that may be started (outside of repositories and node_modules/.bin): ${path}`,
    );
  const found = { program: git.path, path };
  known = { from, count: repositories.size, found };
  return found;
}

function isBelowRepository(entry: string): boolean {
  return [resolve(entry), realPathOr(resolve(entry))].some((place) =>
    [...repositories].some((root) => isBelow(place, root)),
  );
}
