/**
 * Writes a whole file so that a reader, and a process that dies, sees the old content or the new one and nothing between (temp file, then rename).
 * No component of the path below `root` may be a symlink: an agent could point it at a file of the person.
 * Small files and many: done in place, a file takes a tenth of the time that it takes by way of the thread pool. Only a flush is waited for.
 * Not promised: safety against a process that swaps a folder for a link between the check and the write.
 */
import { closeSync, fsync, lstatSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

export interface WriteOptions {
  /** Absolute; trusted as it is. The file must lie below it. */
  readonly root: string;
  /** Flush file and folder to disk (`engine.durability: power`). */
  readonly fsync: boolean;
}

/** A component of the path is a symlink, or something else than a folder stands where one must be. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
}

const flush = promisify(fsync);

let written = 0;

/** Effects: one file with mode 0600; missing folders are made with 0700. On a full disk the old content stays and no temp file is left. */
export async function writeFileAtomic(path: string, content: string | Uint8Array, options: WriteOptions): Promise<void> {
  await writeFileWith(path, options, (file) => writeFileSync(file, content));
}

/** The same for content that is produced piece by piece, into an open file descriptor. */
export async function writeFileWith(path: string, options: WriteOptions, fill: (file: number) => void | Promise<void>): Promise<void> {
  ensureFolder(dirname(path), options.root);
  refuseLink(path);
  written += 1;
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${written}.sluice-tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      await fill(file);
      if (options.fsync) await flush(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (options.fsync) await syncFolder(dirname(path));
}

/** Makes what is missing of a folder below `root`. Errors: UnsafePathError. */
export function ensureFolder(folder: string, root: string): void {
  const inside = relative(root, folder);
  if (!isAbsolute(root) || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new UnsafePathError(`${JSON.stringify(folder)} is not below ${JSON.stringify(root)}`);
  }
  let current = root;
  for (const component of inside === '' ? [] : inside.split(sep)) {
    current = join(current, component);
    if (!isFolder(current)) {
      makeFolder(current);
      // Another process may have made it meanwhile, as a link too.
      isFolder(current);
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

/** Removes what killed writers left in a folder and below. Call only where no writer is at work. */
export async function sweepTemporaries(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.name.startsWith('.') && entry.name.endsWith('.sluice-tmp')) {
      await unlink(join(entry.parentPath, entry.name)).catch(ignoreCode('ENOENT'));
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

function isFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isDirectory()) return true;
  throw new UnsafePathError(`${JSON.stringify(path)} is ${stat.isSymbolicLink() ? 'a symlink' : 'not a folder'}`);
}

function refuseLink(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isFile()) {
    throw new UnsafePathError(`${JSON.stringify(path)} is ${stat.isSymbolicLink() ? 'a symlink' : 'not a file'}`);
  }
}

/** For `.catch`: this one error code means "not there", or "there already". */
export function ignoreCode(code: string): (error: unknown) => undefined {
  return (error) => {
    // Not `instanceof Error`: Node's own errors may come from another realm (vm contexts).
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === code) return undefined;
    throw error;
  };
}
