/** How paths lie to each other. But for `realPathOr` they are absolute, in normal form, and not looked at. */
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** True for the folder itself too. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Whether showing the place would show one of these, or it lies in one. */
export function touches(path: string, others: readonly string[]): boolean {
  return others.some((other) => isBelow(other, path) || isBelow(path, other));
}

/** Links resolved; the path as it is where that cannot be done. */
export function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
