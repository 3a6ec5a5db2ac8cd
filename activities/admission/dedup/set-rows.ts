/** Rows of distinct things, one row a text, each thing known by a number. Rows lie one behind another in one array and are read from front to end: that is faster than lists of where a thing occurs, and a removal touches no other row. */
import { growing32, type Span } from './growing-numbers.js';
import { Vocabulary } from './vocabulary.js';

export class SetRows {
  readonly vocabulary = new Vocabulary();
  readonly entries = growing32();
  /** Of each row, where it begins. */
  private readonly starts = growing32();
  /** Of each number, where it was last put. May be out of date: what stands there is looked at, so nothing has to be cleared. */
  private places = new Uint32Array(1024);
  private vocabularyBefore = 0;

  /** The first `keptAlways` numbers stay what they are, though no row has them. */
  constructor(private readonly keptAlways = 0) {}

  get bytes(): number {
    return this.vocabulary.bytes + this.entries.bytes + this.starts.bytes + this.places.byteLength;
  }

  startOf(row: number): number {
    return this.starts.all[row] ?? 0;
  }

  endOf(row: number): number {
    return row + 1 < this.starts.size ? (this.starts.all[row + 1] ?? 0) : this.entries.size;
  }

  sizeOf(row: number): number {
    return this.endOf(row) - this.startOf(row);
  }

  beginRow(): void {
    this.vocabularyBefore = this.vocabulary.size;
    this.starts.push(this.entries.size);
  }

  /** Puts the thing with this number into the last row unless it is there. Answers its place in `entries`. */
  put(number: number): number {
    if (number >= this.places.length) this.growPlaces();
    const { entries } = this;
    const place = this.places[number] ?? 0;
    const begin = this.starts.all[this.starts.size - 1] ?? 0;
    if (place >= begin && place < entries.size && entries.all[place] === number) return place;
    this.places[number] = entries.size;
    entries.push(number);
    return entries.size - 1;
  }

  /** Forgets the row that was begun last, and what only it had. */
  dropLastRow(): void {
    this.starts.size -= 1;
    this.entries.size = this.starts.all[this.starts.size] ?? 0;
    this.vocabulary.shrinkTo(this.vocabularyBefore);
  }

  /** Keeps the rows at these places, in their order, and what they have. Answers which entries stayed. */
  keepRows(rows: readonly number[]): readonly Span[] {
    const spans = rows.map((row): Span => [this.startOf(row), this.endOf(row)]);
    this.entries.keep(spans);
    this.starts.size = 0;
    let start = 0;
    for (const [from, to] of spans) {
      this.starts.push(start);
      start += to - from;
    }
    this.renumber();
    return spans;
  }

  private renumber(): void {
    const { all, size } = this.entries;
    const isUsed = new Uint8Array(this.vocabulary.size).fill(1, 0, this.keptAlways);
    for (let at = 0; at < size; at += 1) isUsed[all[at] ?? 0] = 1;
    const numbers = this.vocabulary.keepOnly(isUsed);
    for (let at = 0; at < size; at += 1) all[at] = numbers[all[at] ?? 0] ?? 0;
  }

  private growPlaces(): void {
    const grown = new Uint32Array(Math.max(this.vocabulary.size, this.places.length * 2));
    grown.set(this.places);
    this.places = grown;
  }
}
