/**
 * Writes a whole file so that a reader, and a process that dies, sees the old content or the new one and nothing between (temp file, then rename).
 * No component of the path below `root` may be a symlink: an agent could point it at a file of the person. It is refused, or moved aside.
 * Small files and many: done in place, a file takes a tenth of the time that it takes by way of the thread pool. Only a flush is waited for.
 * Not promised: safety against a process that swaps a folder for a link between the check and the write.
 */

import { randomUUID } from 'node:crypto';
import { closeSync, fsync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '../../config/system/error-code.js';
import { listForeignFolder } from '../../config/system/foreign-file.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { type Aside, kindOf, moveAside, UnsafePathError } from './clear-way.js';

export interface WriteOptions {
  /** Absolute; trusted as it is. The file must lie below it. */
  readonly root: string;
  /** Flush file and folder to disk (`engine.durability: power`). */
  readonly fsync: boolean;
  /** Given: what stands in the way is moved aside. Not given: UnsafePathError. */
  readonly aside?: Aside;
  readonly failpoint?: Failpoint;
}

const flush = promisify(fsync);

/** Effects: one file with mode 0600; missing folders are made with 0700. On a full disk the old content stays and no temp file is left. */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions,
): Promise<void> {
  await writeFileWith(path, options, (file) => writeFileSync(file, content));
}

/** The same for content that is produced piece by piece, into an open file descriptor. */
export async function writeFileWith(
  given: string,
  options: WriteOptions,
  fill: (file: number) => void | Promise<void>,
): Promise<void> {
  // The system takes `link/..` for the parent of where the link leads, the check below for nothing.
  const path = normalize(given);
  ensureFolder(dirname(path), options);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) moveAside(path, kindOf(found), options.aside);
  // Random: a pid comes again in a container, and an agent could take a name that it can foresee.
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.sluice-tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      await fill(file);
      if (options.fsync) await flush(file);
    } finally {
      closeSync(file);
    }
    options.failpoint?.('run-file.before-rename');
    renameSync(temporary, path);
    options.failpoint?.('run-file.after-rename');
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (options.fsync) await syncFolder(dirname(path));
}

/** Makes what is missing of a folder below `root`. Errors: UnsafePathError. */
export function ensureFolder(folder: string, { root, aside }: Pick<WriteOptions, 'root' | 'aside'>): void {
  const inside = relative(root, folder);
  if (!isAbsolute(root) || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new UnsafePathError(`${JSON.stringify(folder)} is not below ${JSON.stringify(root)}`);
  }
  let current = root;
  for (const component of inside === '' ? [] : inside.split(sep)) {
    current = join(current, component);
    if (!isFolder(current, aside)) {
      makeFolder(current);
      // Another process may have made it meanwhile, as a link too.
      if (!isFolder(current, undefined))
        throw new UnsafePathError(`${JSON.stringify(current)} was removed as soon as it was made`);
    }
  }
}

/** Flushes a folder's entries. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The engine makes one folder a turn, of a handful of files each. */
const MAX_SWEPT_FOLDERS = 5_000;
const MAX_SWEPT_ENTRIES = 5_000;

/** Removes what killed writers left in a folder and below. Call only where no writer is at work. */
export async function sweepTemporaries(folder: string): Promise<void> {
  const folders = [folder];
  for (
    let at = folders.pop(), looked = 0;
    at !== undefined && looked < MAX_SWEPT_FOLDERS;
    at = folders.pop(), looked += 1
  ) {
    for (const entry of (await listForeignFolder(at, { maxEntries: MAX_SWEPT_ENTRIES })) ?? []) {
      if (entry.isDirectory()) folders.push(join(at, entry.name));
      else if (entry.isFile() && entry.name.startsWith('.') && entry.name.endsWith('.sluice-tmp'))
        await unlink(join(at, entry.name)).catch(ignoreCode('ENOENT'));
    }
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    ignoreCode('EEXIST')(error);
  }
}

/** False: there is room for one. */
function isFolder(path: string, aside: Aside | undefined): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isDirectory()) return true;
  moveAside(path, kindOf(stat), aside);
  return false;
}

/** For `.catch`: this one error code means "not there", or "there already". */
export function ignoreCode(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) === code) return undefined;
    throw error;
  };
}
