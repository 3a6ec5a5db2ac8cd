/**
 * Finds a program the way a shell would, but never in the repository, a worktree or a `node_modules/.bin`: an agent can write there.
 * Done before a start, for 126 and 127 are also an agent's own exit codes.
 */
import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';
import { isBelow, realPathOr } from './paths.js';

export type ResolvedProgram =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly name: string }
  | { readonly kind: 'not_executable'; readonly path: string }
  /** It lies below `root`, which agents can write. */
  | { readonly kind: 'forbidden'; readonly path: string; readonly root: string }
  /** A relative path means another program in every folder. */
  | { readonly kind: 'relative'; readonly name: string };

export interface ProgramPlaces {
  /** As in PATH; relative entries are passed over. */
  readonly path: string;
  /** Absolute folders: repositories and worktrees. */
  readonly forbidden: readonly string[];
}

/** Shape: the path found is not resolved through links, for some programs look at the name they are called by. */
export function resolveProgram(name: string, places: ProgramPlaces): ResolvedProgram {
  if (isAbsolute(name)) return judge(name, places.forbidden);
  if (name === '' || name.includes(sep)) return { kind: 'relative', name };
  let refused: ResolvedProgram | null = null;
  for (const folder of places.path.split(delimiter).filter(isAbsolute)) {
    const judged = judge(join(folder, name), places.forbidden);
    if (judged.kind === 'found') return judged;
    if (judged.kind !== 'missing') refused ??= judged;
  }
  return refused ?? { kind: 'missing', name };
}

/** Why a program cannot be run, as a clause. */
export function describeProblem(program: Exclude<ResolvedProgram, { kind: 'found' }>): string {
  switch (program.kind) {
    case 'missing':
      return `${program.name} is not on PATH`;
    case 'not_executable':
      return `${program.path} is not executable`;
    case 'forbidden':
      return `${program.path} lies in ${program.root}, where an agent can write`;
    case 'relative':
      return `${program.name === '' ? 'an empty name' : program.name} is relative; a name on PATH or an absolute path is needed`;
  }
}

/** Says nothing of what it is: a folder is executable too. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function judge(path: string, forbidden: readonly string[]): ResolvedProgram {
  const stat = lookAt(path);
  if (stat === null || stat.isDirectory()) return { kind: 'missing', name: path };
  const root = [resolve(path), realpathSync(path)]
    .map((place) => rootOf(place, forbidden))
    .find((found) => found !== null);
  if (root !== undefined && root !== null) return { kind: 'forbidden', path, root };
  return isExecutable(path) ? { kind: 'found', path } : { kind: 'not_executable', path };
}

/** As in a shell, a folder of PATH that may not be entered, or is none, holds no program. */
function lookAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function rootOf(path: string, forbidden: readonly string[]): string | null {
  const bin = path.indexOf(`${sep}node_modules${sep}.bin${sep}`);
  if (bin >= 0) return path.slice(0, bin + `${sep}node_modules${sep}.bin`.length);
  return forbidden.flatMap((root) => [resolve(root), realPathOr(root)]).find((root) => isBelow(path, root)) ?? null;
}
