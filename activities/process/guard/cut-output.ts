/**
 * What a command leaves of its stdout and stderr. Both are files that it can open again by its descriptors: it can make them of any size, take away our
 * right to read them, and, outside a sandbox, put something else in their place. Once nothing of it lives they are made two regular files
 * of ours, together no larger than the limit, so that whoever reads them later reads no more. Not promised against a process that no sweep finds.
 */
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { freeName, READ_AT_END, STDERR_FILE, STDOUT_FILE } from '../marks.js';

/** Unit: bytes. */
interface OutputSize {
  readonly stdout: number;
  readonly stderr: number;
}

const OWN_MODE = 0o600;
const OWN_FOLDER_MODE = 0o700;

/** Of what stands under the two names, whatever it is; nothing, where the command locked its own folder. */
export function measureOutput(dir: string): OutputSize {
  const sizeOf = (name: string) => {
    try {
      return lstatSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
    } catch {
      return 0;
    }
  };
  return { stdout: sizeOf(STDOUT_FILE), stderr: sizeOf(STDERR_FILE) };
}

/** Outside a sandbox a command can lock its own folder and the marks in it, and no end could be read or written there. What stays locked is met by who reads it. */
export function takeFolderBack(dir: string): void {
  for (const [path, mode] of [
    [dir, OWN_FOLDER_MODE] as const,
    ...READ_AT_END.map((name) => [join(dir, name), OWN_MODE] as const),
  ]) {
    try {
      takeBack(path, mode);
    } catch {}
  }
}

/** A file with a second name may be one of the person's: its mode is not ours to change, and it is no mark. */
function takeBack(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink() || (found.mode & mode) === mode) return;
  if (found.isFile() && found.nlink > 1) freeName(path);
  else chmodSync(path, mode);
}

/** What is kept of each: half of the limit, or what the other leaves of it. */
function shareOf({ stdout, stderr }: OutputSize, limit: number): OutputSize {
  const half = Math.ceil(limit / 2);
  const kept = Math.min(stdout, Math.max(half, limit - stderr));
  return { stdout: kept, stderr: Math.min(stderr, limit - kept) };
}

/** Effects: the two files. Idempotency: a repeat finds them as they are to be. Errors: those of the file system. */
export function cutOutput(dir: string, limit: number): void {
  for (const name of [STDOUT_FILE, STDERR_FILE]) makeOwn(join(dir, name));
  const size = measureOutput(dir);
  const kept = shareOf(size, limit);
  if (kept.stdout < size.stdout) cut(join(dir, STDOUT_FILE), kept.stdout);
  if (kept.stderr < size.stderr) cut(join(dir, STDERR_FILE), kept.stderr);
}

/** A file with a second name may be one of the person's: it is not ours to cut. What is not ours stays beside it under another name. */
function makeOwn(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true && found.nlink === 1) {
    if ((found.mode & 0o777) !== OWN_MODE) chmodSync(path, OWN_MODE);
    return;
  }
  if (found !== undefined) renameSync(path, `${path}.${randomUUID()}.foreign`);
  writeFileSync(path, '', { flag: 'wx', mode: OWN_MODE });
}

function cut(path: string, bytes: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(file).isFile()) ftruncateSync(file, bytes);
  } finally {
    closeSync(file);
  }
}
