/**
 * Paths as the system has them: bytes, not always of UTF-8. Decoded, such a name leads to nothing. Here they are text with a character for each
 * byte, as git answers in `latin1`; whoever lists and compares paths works on that text, and only a call of the system gets bytes.
 */
import { posix } from 'node:path';

/** `path`: relative, a character for each byte. */
export function joinBytes(folder: string | Buffer, path: string): Buffer {
  const above = typeof folder === 'string' ? Buffer.from(folder) : folder;
  return Buffer.concat([above, Buffer.from(`/${path}`, 'latin1')]);
}

export function parentOf(path: string | Buffer): Buffer {
  return Buffer.from(posix.dirname(typeof path === 'string' ? encodeBytes(path) : path.toString('latin1')), 'latin1');
}

/** For people; what is no UTF-8 becomes U+FFFD. */
export function decodeBytes(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

export function encodeBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
