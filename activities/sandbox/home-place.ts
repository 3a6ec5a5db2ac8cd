/**
 * A place below HOME, or below the folder that a CLI has instead, that a sandbox shows. No component may be a symlink: bubblewrap follows it on the host, and what an agent may write one day would
 * decide what the next one sees. Whether it still holds is asked again at each start.
 */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow, realPathOr, touches } from '../../config/system/paths.js';
import type { OwnPlace } from './known-needs.js';
import type { Readable } from './plan-mounts.js';

export type HomePlace =
  | { readonly kind: 'there'; readonly path: string }
  /** What a program makes there inside is gone at its end. */
  | { readonly kind: 'absent' }
  /** `why` is a clause. */
  | { readonly kind: 'refused'; readonly why: string };

/** `hidden`: what no sandbox may show. `name` is relative to HOME, in normal form, without `..` (config/keys/key-values.ts). */
export function homePlace(home: string, name: string, hidden: readonly string[]): HomePlace {
  let path = home;
  for (const part of name.split('/')) {
    path = join(path, part);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'absent' };
    if (stat.isSymbolicLink())
      return { kind: 'refused', why: `${path} is a symlink, which the sandbox does not follow` };
    if (!stat.isDirectory() && !stat.isFile())
      return { kind: 'refused', why: `${path} is neither a file nor a folder` };
    if (!stat.isDirectory() && path !== join(home, name)) return { kind: 'absent' };
  }
  if (touches(path, hidden)) return { kind: 'refused', why: `${path} would show what no agent may see` };
  return { kind: 'there', path };
}

/** What no sandbox may show, and HOME, which none may show whole. */
export interface Guarded {
  readonly home: string | undefined;
  readonly hidden: readonly string[];
}

/** The folder itself may be named over a link, since its person named it. */
export function shownPlace({ folder, name }: OwnPlace, { home, hidden }: Guarded): HomePlace {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return { kind: 'absent' };
  const path = join(folder, name);
  const homes = home === undefined ? [] : [home, realPathOr(home)];
  const shows = (one: string) => touches(one, hidden) || homes.some((each) => isBelow(each, one));
  if ([path, join(realPathOr(folder), name)].some(shows))
    return { kind: 'refused', why: `${path} would show what no agent may see` };
  return name === '' ? { kind: 'there', path } : homePlace(folder, name, hidden);
}

/** What lies in a folder that nobody inside can write, so that its links are its person's own: each by its real place, as far as that may be shown. */
export function placesIn(folder: string, { home, hidden }: Guarded): readonly Readable[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder).flatMap((name) => {
    const to = join(folder, name);
    const from = realPathOr(to);
    const stat = statSync(from, { throwIfNoEntry: false });
    const isPlain = stat?.isDirectory() === true || stat?.isFile() === true;
    return isPlain && !touches(from, hidden) && (home === undefined || !isBelow(realPathOr(home), from))
      ? [{ from, to }]
      : [];
  });
}

/**
 * Makes a folder that is not there, as the program itself would outside. **Effects** the folder and its parents, for its person alone.
 * What cannot be made stays absent; over a symlink nothing is made, and what is there is left as it is.
 */
export function makeOwnFolder({ folder, name }: OwnPlace, { home, hidden }: Guarded): void {
  // A service may have a HOME that is no folder; it gets none.
  const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  if (!isThere && (folder === home || !standsInOwnFolder(folder))) return;
  const path = join(folder, name);
  if (touches(path, hidden) || (name !== '' && homePlace(folder, name, []).kind !== 'absent')) return;
  try {
    makeEach(path);
  } catch {
    // Not ours to write, or full: its conversations end with their turns.
  }
}

/** The first folder above it that exists is our person's, and no link. */
function standsInOwnFolder(path: string): boolean {
  const above = dirname(path);
  const stat = lstatSync(above, { throwIfNoEntry: false });
  if (stat === undefined) return above !== path && standsInOwnFolder(above);
  return stat.isDirectory() && stat.uid === process.getuid?.();
}

/** Node's `recursive` never ends where a folder such as `/proc` takes no new one. */
function makeEach(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeEach(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
