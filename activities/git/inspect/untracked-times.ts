/**
 * When the folders that the untracked cache of an index remembers last changed, by their ctime, which nobody can set.
 * Source: index-format.txt "Untracked cache", with SHA-1; "EWAH bitmap" in bitmap-format.txt.
 */

/** Times, device, inode, owner and size. */
const STAT_BYTES = 36;
const HASH_BYTES = 20;
const FLAGS_BYTES = 4;
/** Of a count in a bitmap. */
const SIZE_BYTES = 4;
const WORD_BYTES = 8;
const WORD_BITS = 64n;

/** Whether all of them, and the exclude files that count for all, changed before that second (since 1970); of what is not as we know it nothing is known. */
export function areFoldersOlder(untracked: Buffer, second: number): boolean {
  try {
    return areAllOlder(new Reader(untracked), second);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function areAllOlder(reader: Reader, second: number): boolean {
  const isOlder = () => reader.bytes(STAT_BYTES).readUInt32BE() < second;
  reader.bytes(reader.varint());
  if (!isOlder() || !isOlder()) return false;
  reader.bytes(FLAGS_BYTES + 2 * HASH_BYTES);
  reader.skipText();
  const folders = reader.varint();
  if (folders === 0) return true;
  for (let left = folders; left > 0; left -= 1) {
    const names = reader.varint();
    reader.varint();
    for (let text = 0; text <= names; text += 1) reader.skipText();
  }
  const remembered = reader.countBits();
  reader.countBits();
  reader.countBits();
  for (let left = remembered; left > 0; left -= 1) if (!isOlder()) return false;
  return true;
}

/** Errors: RangeError behind the end. */
class Reader {
  private at = 0;

  constructor(private readonly from: Buffer) {}

  bytes(length: number): Buffer {
    this.at += length;
    if (this.at > this.from.length) throw new RangeError('the untracked cache is cut off');
    return this.from.subarray(this.at - length, this.at);
  }

  skipText(): void {
    const end = this.from.indexOf(0, this.at);
    this.bytes(end < 0 ? this.from.length : end + 1 - this.at);
  }

  /** Seven bits a byte, the highest first; each further byte adds one (git's varint.c). */
  varint(): number {
    let byte = this.bytes(1).readUInt8();
    let value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = this.bytes(1).readUInt8();
      value = (value + 1) * 0x80 + (byte & 0x7f);
    }
    return value;
  }

  /** How many are set. A word says how often all bits of a word repeat, and how many words follow as they are. */
  countBits(): number {
    this.bytes(SIZE_BYTES);
    const words = this.bytes(this.bytes(SIZE_BYTES).readUInt32BE() * WORD_BYTES);
    this.bytes(SIZE_BYTES);
    let count = 0n;
    for (let at = 0; at < words.length; at += WORD_BYTES) {
      const marker = words.readBigUInt64BE(at);
      count += (marker & 1n) * ((marker >> 1n) & 0xffff_ffffn) * WORD_BITS;
      for (let plain = marker >> 33n; plain > 0n; plain -= 1n) {
        at += WORD_BYTES;
        for (let word = words.readBigUInt64BE(at); word > 0n; word >>= 1n) count += word & 1n;
      }
    }
    return Number(count);
  }
}
