/**
 * The texts of an index, taken apart: tokens with their counts, trigrams, MinHash signature. A row is a text, in the order they came; the last one may be a guest,
 * the new text, which counts in N, df and avgdl as every other (S-10: the corpus D is the comparison set and the new text). Nothing that depends on those
 * is kept, so no sum can drift from what a fresh count would give.
 */
import { Fnv64 } from './fnv64.js';
import { growing16, growing32 } from './growing-numbers.js';
import { MinHash, SIGNATURE_WORDS } from './min-hash.js';
import { SetRows } from './set-rows.js';
import { TrigramRows } from './trigram-rows.js';

/** Of a living row. */
const MAY_BLOCK = 1;
export const NEVER_BLOCKS = 2;

export class TextRows {
  readonly tokens = new SetRows();
  /** Beside `tokens.entries`: how often the text has that token. MAX_NORMALISED_UNITS allows at most 10 923 of one. */
  readonly counts = growing16();
  readonly trigrams = new TrigramRows();
  readonly signatures = growing32();
  /** Of each row, its tokens with repeats. */
  readonly lengths = growing32();
  /** Of each row: 0 once it is removed, and what it is compared for until then. */
  readonly lives = growing32();
  /** Of each token, how many living rows have it. */
  documentFrequency = new Uint32Array(1024);
  /** N. */
  living = 0;
  /** Tokens of all living rows, with repeats. */
  private livingLength = 0;
  private readonly fnv = new Fnv64();
  private readonly minHash = new MinHash();

  get size(): number {
    return this.lives.size;
  }

  get bytes(): number {
    const { tokens, counts, trigrams, signatures, lengths, lives } = this;
    const lists = [tokens, counts, trigrams, signatures, lengths, lives];
    return lists.reduce((sum, list) => sum + list.bytes, this.documentFrequency.byteLength);
  }

  /** avgdl. */
  get meanLength(): number {
    return this.livingLength / this.living;
  }

  /** Adds a text, as `normalise` made it, as the last row. */
  add(normalised: string): void {
    this.tokens.beginRow();
    this.lengths.push(this.addTokens(normalised));
    this.signatures.reserve(SIGNATURE_WORDS);
    this.minHash.writeTo(this.signatures.all, this.signatures.size);
    this.signatures.size += SIGNATURE_WORDS;
    this.trigrams.add(normalised);
    this.lives.push(MAY_BLOCK);
    this.count(this.size - 1, 1);
  }

  /** Removes a row from what is compared and counted. Its place stays taken until `keepLiving`. */
  remove(row: number): void {
    this.count(row, -1);
    this.lives.all[row] = 0;
  }

  setMayBlock(row: number, mayBlock: boolean): void {
    this.lives.all[row] = mayBlock ? MAY_BLOCK : NEVER_BLOCKS;
  }

  dropLast(): void {
    this.remove(this.size - 1);
    this.tokens.dropLastRow();
    this.trigrams.dropLast();
    this.counts.size = this.tokens.entries.size;
    this.signatures.size -= SIGNATURE_WORDS;
    this.lengths.size -= 1;
    this.lives.size -= 1;
  }

  /** Gives the places of removed rows back. The rows that stay move up and keep their order. */
  keepLiving(): void {
    const rows = Array.from(this.lives.all.subarray(0, this.size).keys()).filter((row) => this.lives.all[row] !== 0);
    this.counts.keep(this.tokens.keepRows(rows));
    this.trigrams.keepRows(rows);
    this.signatures.keep(rows.map((row) => [row * SIGNATURE_WORDS, (row + 1) * SIGNATURE_WORDS]));
    for (const list of [this.lengths, this.lives]) list.keep(rows.map((row) => [row, row + 1]));
    this.documentFrequency.fill(0);
    const { all, size } = this.tokens.entries;
    for (let at = 0; at < size; at += 1) this.addToFrequency(all[at] ?? 0, 1);
  }

  private count(row: number, by: 1 | -1): void {
    const { entries, vocabulary } = this.tokens;
    if (vocabulary.size > this.documentFrequency.length) {
      const grown = new Uint32Array(Math.max(vocabulary.size, 2 * this.documentFrequency.length));
      grown.set(this.documentFrequency);
      this.documentFrequency = grown;
    }
    const end = this.tokens.endOf(row);
    for (let at = this.tokens.startOf(row); at < end; at += 1) this.addToFrequency(entries.all[at] ?? 0, by);
    this.living += by;
    this.livingLength += by * (this.lengths.all[row] ?? 0);
  }

  private addToFrequency(token: number, by: 1 | -1): void {
    this.documentFrequency[token] = (this.documentFrequency[token] ?? 0) + by;
  }

  /** Answers how many tokens there are, with repeats. */
  private addTokens(text: string): number {
    const { fnv } = this;
    let length = 0;
    let before = { low: 0, high: 0 };
    for (let start = 0; start < text.length; ) {
      const space = text.indexOf(' ', start);
      const end = space < 0 ? text.length : space;
      if (isToken(text, start, end)) {
        if (length > 0) {
          // The shingle of two tokens is their text with one space between, and one stands before each but the first.
          fnv.low = before.low;
          fnv.high = before.high;
          fnv.take(text, start - 1, end);
          this.minHash.take(fnv.low, fnv.high);
        }
        fnv.restart();
        fnv.take(text, start, end);
        before = { low: fnv.low, high: fnv.high };
        this.addToken();
        length += 1;
      }
      start = end + 1;
    }
    if (length === 1) this.minHash.take(before.low, before.high);
    return length;
  }

  /** The token whose hash was just made. */
  private addToken(): void {
    const place = this.tokens.put(this.tokens.vocabulary.numberOf(this.fnv.low, this.fnv.high));
    if (place === this.counts.size) this.counts.push(1);
    else this.counts.all[place] = (this.counts.all[place] ?? 0) + 1;
  }
}

/** Two characters or more, where a character may take two units. */
function isToken(text: string, start: number, end: number): boolean {
  if (end - start > 2) return true;
  return end - start === 2 && (text.codePointAt(start) ?? 0) <= 0xffff;
}
