/** A file system of a test's own (tmpfs) in place of a folder: it can be filled up to a number of bytes, freed, made read-only and writable again. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  /** Leaves this many bytes free, rounded down to whole pages. */
  fillBut(bytes: number): void;
  free(): void;
  /** Errors: plain Error while a file of it is open for writing. */
  makeReadOnly(): void;
  makeWritable(): void;
  unmount(): void;
}

const BLOCK = Buffer.alloc(64 * 1024, 1);

/**
 * What lies in the folder is taken along; `filler` is relative to it, for a test to whom a strange file in the folder itself would be something else.
 * Errors: plain Error without the right to mount.
 */
export function smallDisk(folder: string, { size, filler = '.filler' }: { readonly size: string; readonly filler?: string }): SmallDisk {
  const aside = mkdtempSync(join(tmpdir(), 'sluice-aside-'));
  execFileSync('cp', ['-a', `${folder}/.`, aside]);
  mount('-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', folder);
  execFileSync('cp', ['-a', `${aside}/.`, folder]);
  rmSync(aside, { recursive: true });
  const path = join(folder, filler);
  return {
    fillBut: (bytes) => fillUp(path, () => freeBytes(folder) - bytes),
    free: () => rmSync(path, { force: true }),
    makeReadOnly: () => mount('-o', 'remount,ro', folder),
    makeWritable: () => mount('-o', 'remount,rw', folder),
    unmount: () => execFileSync('umount', ['--lazy', folder]),
  };
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
