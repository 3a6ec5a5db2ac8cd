/** A piece of a text in UTF-8 that may end in the middle of a character, which the next piece begins with. Pure. */

/** Without a character at the end of which the last bytes are not there yet. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return lengthOf(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Of the character that begins with the byte. */
function lengthOf(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
