/**
 * FNV-1a with 64 bits over UTF-8, in two halves of 32 bits: BigInt would take fifty times as long. One state that goes on, so that the hash of "a b" can start
 * from that of "a". Source: docs/requirements/skep.md "Formats", layer minhash.
 */

/** By a name of this module: Jest looks globals up so slowly that tests took ten times as long. */
const { imul } = Math;

const OFFSET_LOW = 0x84222325;
const OFFSET_HIGH = 0xcbf29ce4;
/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;
const TWO_32 = 0x1_0000_0000;

export class Fnv64 {
  low = OFFSET_LOW;
  high = OFFSET_HIGH;

  restart(): void {
    this.low = OFFSET_LOW;
    this.high = OFFSET_HIGH;
  }

  /** Takes the UTF-8 of a piece of `text` in. A piece begins and ends between two characters. */
  take(text: string, start: number, end: number): void {
    for (let at = start; at < end; ) {
      at = this.takeAscii(text, at, end);
      if (at === end) return;
      const code = text.codePointAt(at) ?? 0;
      this.takeCode(code);
      at += code > 0xffff ? 2 : 1;
    }
  }

  /** In local 32-bit whole numbers, which cost a third of fields. Answers where it stopped: at `end`, or at a character of more than one byte. */
  private takeAscii(text: string, start: number, end: number): number {
    let low = this.low | 0;
    let high = this.high | 0;
    let at = start;
    for (; at < end; at += 1) {
      const byte = text.charCodeAt(at);
      if (byte >= 0x80) break;
      low ^= byte;
      const lower = (low & 0xffff) * PRIME_LOW;
      const upper = (low >>> 16) * PRIME_LOW + (lower >>> 16);
      high = (imul(high, PRIME_LOW) + (upper >>> 16) + (low << 8)) | 0;
      low = (upper << 16) | (lower & 0xffff);
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
    return at;
  }

  private takeByte(byte: number): void {
    const low = (this.low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    const carry = Math.floor(product / TWO_32);
    this.high = (imul(this.high, PRIME_LOW) + carry + (low << 8)) >>> 0;
    this.low = product >>> 0;
  }

  private takeCode(code: number): void {
    if (code < 0x800) this.takeByte(0xc0 | (code >> 6));
    else {
      if (code < 0x10000) this.takeByte(0xe0 | (code >> 12));
      else {
        this.takeByte(0xf0 | (code >> 18));
        this.takeByte(0x80 | ((code >> 12) & 0x3f));
      }
      this.takeByte(0x80 | ((code >> 6) & 0x3f));
    }
    this.takeByte(0x80 | (code & 0x3f));
  }
}
