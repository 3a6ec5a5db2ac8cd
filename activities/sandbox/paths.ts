/** How paths lie to each other. Pure; paths are absolute and in normal form. */
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
