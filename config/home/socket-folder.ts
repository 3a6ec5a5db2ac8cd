/**
 * Where a home's unix sockets lie, the engine's and the guards'. A socket path has 107 bytes on Linux and 103 on macOS, and Node 20 cuts a longer
 * one without a word and listens on the shorter name; so a long home gets a short private folder, the same for every process of this user.
 * Loaded by the guard, so what it imports needs nothing but Node.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realPathOr } from '../system/paths.js';
import { makeFolder } from './make-folder.js';

/** Bytes; the smaller of the two systems. */
const MAX_SOCKET_PATH_BYTES = 103;

/** The longest name of a socket, a retired guard's with the largest pid. */
const LONGEST_NAME = 'guard.4194304.sock';

/** Not os.tmpdir(): terminals with different TMPDIR must meet at one socket. */
const SHORT_ROOT = '/tmp';

/** One name for a home however it is reached, of this user. */
export function homeKey(home: string): string {
  return createHash('sha256')
    .update(`${userId()}\0${realPathOr(home)}`)
    .digest('hex')
    .slice(0, 32);
}

/** Makes nothing, so it can be asked for a home that does not exist. */
export function socketFolder(home: string): string {
  const real = realPathOr(home);
  return Buffer.byteLength(join(real, LONGEST_NAME)) <= MAX_SOCKET_PATH_BYTES
    ? real
    : join(SHORT_ROOT, `sluice-${homeKey(real)}`);
}

/** Makes the home if need be. Errors: those of the file system, or a short folder that is not a private one of this user. */
export function openSocketFolder(home: string): string {
  makeFolder(home);
  const folder = socketFolder(home);
  if (folder === realpathSync(home)) return folder;
  makeFolder(folder);
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== userId()) {
    throw new Error(`${folder}, the socket folder of ${home}, is not a private folder of this user`);
  }
  chmodSync(folder, 0o700);
  return folder;
}

/** In a folder that only this user may write nobody else's socket lies; a short folder can be made by another user first. */
export function isOwnSocket(path: string): boolean {
  try {
    return [dirname(path), path].every((place) => lstatSync(place).uid === userId());
  } catch {
    return false;
  }
}

function userId(): number {
  return process.getuid?.() ?? 0;
}
