/**
 * A temp directory in memory for the tests. ext4 gives no inode again for minutes after its file was removed, and looks at each of them whenever a file is made: of the CPU of the
 * tests of git, which make and remove some hundred thousand files, that is a quarter.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

/** Source: `TMPFS_MAGIC` of linux/magic.h. */
const TMPFS = 0x01021994;

/** Unit: bytes. Ten times what the tests have there at once; and with what their processes take beside it. */
const ROOM = 4 * 1024 ** 3;
const ROOM_WITH_PROCESSES = 8 * 1024 ** 3;

/** `free` is the memory that is free, in bytes. Null where a program could not be run from there, where it is too small, and where there is none. */
export function findMemoryFolder(folder = '/dev/shm', free = freemem()): string | null {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    const isRoomy = bavail * bsize >= ROOM && free >= ROOM_WITH_PROCESSES;
    return type === TMPFS && isRoomy && !mountOptions(folder).includes('noexec') ? folder : null;
  } catch {
    return null;
  }
}

/** Of what is mounted there last. */
function mountOptions(folder: string): readonly string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const [, , , options = ''] = mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? [];
  return options.split(',');
}
