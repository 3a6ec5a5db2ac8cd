/**
 * Where a home's guard sockets lie. A socket path has 107 bytes on Linux and 103 on macOS, and Node 20 cuts a longer one without a word
 * and listens on the shorter name; so a long home gets a short private folder.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes; the smaller of the two systems. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Not os.tmpdir(): workers with different TMPDIR must meet at one socket. */
const SHORT_ROOT = '/tmp';

export const GUARD_SOCKET = 'guard.sock';

/** Of a guard that retired but keeps its turns. */
export function retiredSocket(pid: number): string {
  return `guard.${pid}.sock`;
}

/** One name for a home however it is reached, of this user. */
export function homeKey(home: string): string {
  return createHash('sha256')
    .update(`${userId()}\0${realpathSync(home)}`)
    .digest('hex')
    .slice(0, 32);
}

/** Makes the home if need be. Errors: those of the file system, or a short folder that belongs to somebody else. */
export function openSocketFolder(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const real = realpathSync(home);
  const longest = Buffer.byteLength(join(real, retiredSocket(2 ** 22)));
  if (longest <= MAX_SOCKET_PATH_BYTES) {
    return real;
  }
  const short = join(SHORT_ROOT, `sluice-${homeKey(home)}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  const stat = lstatSync(short);
  if (!stat.isDirectory() || stat.uid !== userId()) {
    throw new Error(`${short}, the socket folder of ${home}, belongs to somebody else.`);
  }
  chmodSync(short, 0o700);
  return short;
}

/** All guard sockets in the folder, the current one first. */
export function guardSockets(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name === GUARD_SOCKET || /^guard\.\d+\.sock$/.test(name))
    .sort((a, b) => Number(b === GUARD_SOCKET) - Number(a === GUARD_SOCKET))
    .map((name) => join(folder, name));
}

function userId(): number {
  return process.getuid?.() ?? 0;
}
