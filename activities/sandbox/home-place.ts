/**
 * A place below HOME, or below the folder that a CLI has instead, that a sandbox shows. No component may be a symlink: bubblewrap follows it on the host, and what an agent may write one day would
 * decide what the next one sees. Whether it still holds is asked again at each start.
 */
import { lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnPlace } from './known-needs.js';
import { isBelow, touches } from './paths.js';

export type HomePlace =
  | { readonly kind: 'there'; readonly path: string }
  /** What a program makes there inside is gone at its end. */
  | { readonly kind: 'absent' }
  /** `why` is a clause. */
  | { readonly kind: 'refused'; readonly why: string };

/** `hidden`: what no sandbox may show. `name` is relative to HOME, in normal form, without `..` (config/key-values.ts). */
export function homePlace(home: string, name: string, hidden: readonly string[]): HomePlace {
  let path = home;
  for (const part of name.split('/')) {
    path = join(path, part);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'absent' };
    if (stat.isSymbolicLink()) return { kind: 'refused', why: `${path} is a symlink, which the sandbox does not follow` };
    if (!stat.isDirectory() && !stat.isFile()) return { kind: 'refused', why: `${path} is neither a file nor a folder` };
    if (!stat.isDirectory() && path !== join(home, name)) return { kind: 'absent' };
  }
  if (touches(path, hidden)) return { kind: 'refused', why: `${path} would show what no agent may see` };
  return { kind: 'there', path };
}

/** The folder itself may be named over a link, since its person named it; it may not hold HOME, nor lead to what is hidden. */
export function shownPlace({ folder, name }: OwnPlace, home: string | undefined, hidden: readonly string[]): HomePlace {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
  const path = join(folder, name);
  const all = [path, join(realOf(folder), name)];
  if (all.some((one) => touches(one, hidden) || (home !== undefined && isBelow(home, one)))) {
    return { kind: 'refused', why: `${path} would show what no agent may see` };
  }
  return name === '' ? { kind: 'there', path } : homePlace(folder, name, hidden);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What lies in a place, as far as it may be shown; a symlink is left out. A place that is no folder has nothing in it. */
export function placesIn(folder: string, hidden: readonly string[]): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder).flatMap((name) => {
    const place = homePlace(folder, name, hidden);
    return place.kind === 'there' ? [place.path] : [];
  });
}

/**
 * Makes a folder below HOME that is not there, as the program itself would outside. **Effects** `name` and its parents, for its person alone.
 * What cannot be made stays absent; over a symlink nothing is made, and what is there is left as it is.
 */
export function makeHomeFolder({ folder, name }: OwnPlace): void {
  // A service may have a HOME that is no folder; it gets none.
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  if (homePlace(folder, name, []).kind !== 'absent') return;
  try {
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  } catch {
    // Not ours to write, or full: its conversations end with their turns.
  }
}
