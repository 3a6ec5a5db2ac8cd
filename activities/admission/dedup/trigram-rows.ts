/**
 * The sets of trigrams, one row a text. The trigrams that came first are the frequent ones of any text, and one row has them as bits: 128 words are compared at
 * once where a list would have 1500 entries. The others, few in a text, are listed.
 */
import { growing32 } from './growing-numbers.js';
import { SetRows } from './set-rows.js';

/** How many have a bit: half of what English texts consist of, and of all trigrams in a text 97 of 100. */
const WITH_BIT = 4096;
export const BIT_WORDS = WITH_BIT / 32;

/** Of the characters that most texts consist of, a place from 1 to 37; 0 for any other. */
const PLACES = Uint8Array.from(
  { length: 128 },
  (_, code) => ' 0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(String.fromCharCode(code)) + 1,
);
const PLACE_COUNT = 38;

export class TrigramRows {
  /** Of three such characters, the number of a trigram with a bit, plus 1; 0 if it was not looked up yet. Four of five lookups end here. */
  private readonly direct = new Uint16Array(PLACE_COUNT ** 3);
  readonly bits = growing32();
  readonly listed = new SetRows(WITH_BIT);
  /** Of each row, how many trigrams it has. */
  readonly sizes = growing32();

  get bytes(): number {
    return this.bits.bytes + this.listed.bytes + this.sizes.bytes;
  }

  /** Adds the trigrams of a normalised text, which has one space put before and one behind it, as the last row. */
  add(text: string): void {
    this.bits.reserve(BIT_WORDS);
    this.bits.all.fill(0, this.bits.size, this.bits.size + BIT_WORDS);
    this.bits.size += BIT_WORDS;
    this.listed.beginRow();
    const size = text === '' ? 0 : this.addAll(` ${text} `);
    this.sizes.push(size + this.listed.sizeOf(this.sizes.size));
  }

  dropLast(): void {
    this.bits.size -= BIT_WORDS;
    this.sizes.size -= 1;
    this.listed.dropLastRow();
    if (this.listed.vocabulary.size < WITH_BIT) this.direct.fill(0);
  }

  /** Keeps the rows at these places, in their order. */
  keepRows(rows: readonly number[]): void {
    this.bits.keep(rows.map((row) => [row * BIT_WORDS, (row + 1) * BIT_WORDS]));
    this.sizes.keep(rows.map((row) => [row, row + 1]));
    this.listed.keepRows(rows);
  }

  /** Answers how many of them have a bit. */
  private addAll(padded: string): number {
    let withBit = 0;
    let first = 0;
    let second = 0;
    for (let at = 0; at < padded.length; ) {
      const third = padded.codePointAt(at) ?? 0;
      if (first !== 0) withBit += this.put(this.numberOf(first, second, third));
      first = second;
      second = third;
      at += third > 0xffff ? 2 : 1;
    }
    return withBit;
  }

  /** Three characters are 63 bits, so the key is no hash. */
  private numberOf(first: number, second: number, third: number): number {
    const one = PLACES[first] ?? 0;
    const two = PLACES[second] ?? 0;
    const three = PLACES[third] ?? 0;
    const place = one * two * three === 0 ? 0 : (one * PLACE_COUNT + two) * PLACE_COUNT + three;
    const known = this.direct[place] ?? 0;
    if (known !== 0) return known - 1;
    const number = this.listed.vocabulary.numberOf(
      ((second << 21) | third) >>> 0,
      ((first << 10) | (second >>> 11)) >>> 0,
    );
    if (place !== 0 && number < WITH_BIT) this.direct[place] = number + 1;
    return number;
  }

  private put(number: number): 0 | 1 {
    if (number >= WITH_BIT) {
      this.listed.put(number);
      return 0;
    }
    const word = this.bits.size - BIT_WORDS + (number >>> 5);
    const bit = 1 << (number & 31);
    const before = this.bits.all[word] ?? 0;
    this.bits.all[word] = before | bit;
    return (before & bit) === 0 ? 1 : 0;
  }
}
