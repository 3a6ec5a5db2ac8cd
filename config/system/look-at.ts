/**
 * What lies at one path, a link itself and not what it leads to. At once, as small files are read (foreign-file.ts): the trip to another thread and back takes
 * ten to twenty times what the call does. Whoever has many paths lets others work between them.
 */
import { lstatSync, type Stats } from 'node:fs';

/** Null: nothing, or not ours to look at. */
export function lookAt(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
