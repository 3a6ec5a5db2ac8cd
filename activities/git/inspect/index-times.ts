/**
 * When the files that an index of git holds, and the folders that it remembers, last changed, by their ctime, which nobody can set.
 * Source: index-format.txt, versions 2 and 3 with SHA-1; of any other index nothing is known.
 */
import { areFoldersOlder } from './untracked-times.js';

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner and size. */
const STAT_BYTES = 40;
const HASH_BYTES = 20;
const EXTENDED = 0x4000;
/** Behind the last entry comes at least the checksum of the whole. */
const CHECKSUM_BYTES = 20;
/** Name and size of an extension. */
const NAMED_BYTES = 8;

/** Whether all of them changed before that second (since 1970). */
export function areOlder(index: Buffer, second: number): boolean {
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return false;
  const end = index.length - CHECKSUM_BYTES;
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + STAT_BYTES + HASH_BYTES;
    if (flagsAt + 2 > end || index.readUInt32BE(at) >= second) return false;
    const nameAt = flagsAt + ((index.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    const nameEnd = index.indexOf(0, nameAt);
    if (nameEnd < 0) return false;
    // An entry ends with one to eight NUL, at a multiple of eight bytes.
    at += 8 * (Math.floor((nameEnd - at) / 8) + 1);
  }
  while (at + NAMED_BYTES <= end) {
    const from = at + NAMED_BYTES;
    at = from + index.readUInt32BE(from - 4);
    const isUntracked = index.toString('latin1', from - NAMED_BYTES, from - 4) === 'UNTR';
    if (isUntracked && !areFoldersOlder(index.subarray(from, at), second)) return false;
  }
  return at === end;
}
