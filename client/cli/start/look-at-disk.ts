/** What `sluice doctor` says of the disk of the home: how much is free, and how much of it runs have taken. */
import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../../look/find-runs.js';
import { type Finding, pass, warn } from './doctor-finding.js';

/** **Unit** bytes: below this a run with a validation checkout may not fit. */
const LOW_DISK_BYTES = 2 * 1024 ** 3;
/** **Unit** bytes: more of closed runs is worth a look. */
const MUCH_ROOM_BYTES = 10 * 1024 ** 3;
const COUNT_LIMIT_MS = 5_000;

export async function lookAtDisk(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(home));
  const free = bavail * bsize;
  const found = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  if (free >= LOW_DISK_BYTES) return pass('disk', found);
  return warn('disk', found, `make room on the disk of ${home}`);
}

/** What runs left there. It is not worth a long wait: where it takes one, nothing is said. */
export async function lookAtRoom(home: string): Promise<Finding> {
  const bytes = await sizeOf(['worktrees', 'state'].map((name) => join(home, name)));
  if (bytes === null) return pass('runs on disk', `not counted: it takes longer than ${COUNT_LIMIT_MS / 1_000} s`);
  const found = `${(bytes / 1024 ** 3).toFixed(2)} GB in ${join(home, 'worktrees')} and ${join(home, 'state')}`;
  return bytes < MUCH_ROOM_BYTES ? pass('runs on disk', found) : warn('runs on disk', found, 'sluice clean --all');
}

/** As `du` counts it; null: it does not say, or not in time. */
async function sizeOf(folders: readonly string[]): Promise<number | null> {
  const there = await Promise.all(folders.map((folder) => exists(folder)));
  const known = folders.filter((_, index) => there[index]);
  if (known.length === 0) return 0;
  return new Promise((resolve) => {
    execFile('du', ['-skx', ...known], { timeout: COUNT_LIMIT_MS }, (error, stdout) => {
      const kilobytes = stdout.split('\n').map((line) => Number.parseInt(line, 10) || 0);
      resolve(error !== null && error.killed === true ? null : kilobytes.reduce((sum, size) => sum + size, 0) * 1024);
    });
  });
}

/** A home that does not exist yet lies where it would be made. */
export async function nearestFolder(path: string): Promise<string> {
  if (await exists(path)) return path;
  const parent = dirname(path);
  return parent === path ? path : nearestFolder(parent);
}
