/** A file system of a test's own (tmpfs) in place of a folder: it can be filled up to a number of bytes, have no inode left, be freed, made read-only and writable again. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  /** Leaves this many bytes free, rounded down to whole pages. */
  fillBut(bytes: number): void;
  /** Leaves no room for another file, however small, while there is room for bytes. */
  useUpInodes(): void;
  /** Takes back what either filled. */
  free(): void;
  /** Errors: plain Error while a file of it is open for writing. */
  makeReadOnly(): void;
  makeWritable(): void;
  unmount(): void;
}

/** For the folder of the fillers and for what others make meanwhile. */
const SPARE_INODES = 8;

const BLOCK = Buffer.alloc(64 * 1024, 1);

/**
 * What lies in the folder is taken along; `filler` is relative to it, for a test to whom a strange file in the folder itself would be something else.
 * Errors: plain Error without the right to mount.
 */
export function smallDisk(
  folder: string,
  { size, filler = '.filler' }: { readonly size: string; readonly filler?: string },
): SmallDisk {
  const aside = mkdtempSync(join(tmpdir(), 'sluice-aside-'));
  execFileSync('cp', ['-a', `${folder}/.`, aside]);
  mount('-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', folder);
  execFileSync('cp', ['-a', `${aside}/.`, folder]);
  rmSync(aside, { recursive: true });
  const path = join(folder, filler);
  return {
    useUpInodes: () => makeFiles(`${path}-files`, folder),
    fillBut: (bytes) => fillUp(path, () => freeBytes(folder) - bytes),
    free: () => {
      for (const each of [path, `${path}-files`]) rmSync(each, { recursive: true, force: true });
    },
    makeReadOnly: () => mount('-o', 'remount,ro', folder),
    makeWritable: () => mount('-o', 'remount,rw', folder),
    unmount: () => execFileSync('umount', ['--lazy', folder]),
  };
}

/**
 * Makes what lies at a folder read-only for everybody who opens it from now on, also while files of it are open for writing; answers how to end that.
 * It is the folder itself that is mounted on top of it.
 */
export function readOnlyFolder(folder: string): () => void {
  mount('--bind', folder, folder);
  const end = () => execFileSync('umount', ['--lazy', folder]);
  try {
    mount('-o', 'remount,bind,ro', folder);
  } catch (error) {
    // Somebody opened a file for writing in between.
    end();
    throw error;
  }
  return end;
}

export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-mount-'));
  try {
    mount('-t', 'tmpfs', '-o', 'size=64k', 'none', folder);
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

function mount(...args: readonly string[]): void {
  execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A file system that is mounted again with fewer inodes than it has in use is refused, so they are used up. */
function makeFiles(folder: string, disk: string): void {
  mount('-o', `remount,nr_inodes=${inodesInUse(disk) + SPARE_INODES}`, disk);
  mkdirSync(folder);
  for (let n = 0; statfsSync(disk).ffree > 0; n += 1) closeSync(openSync(join(folder, String(n)), 'wx'));
}

function inodesInUse(disk: string): number {
  const { files, ffree } = statfsSync(disk);
  return files - ffree;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Looks again after each block: others write meanwhile. */
function fillUp(path: string, missing: () => number): void {
  const file = openSync(path, 'a', 0o600);
  try {
    for (let bytes = missing(); bytes > 0; bytes = missing()) writeSync(file, BLOCK, 0, Math.min(bytes, BLOCK.length));
  } catch {
    // Somebody else was faster: it is full.
  } finally {
    closeSync(file);
  }
}
