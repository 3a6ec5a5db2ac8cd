/** Lists of whole numbers that grow by a quarter: doubling would leave half of an index of 80 MB unused. `all` is another array after each growth. */

type Numbers = Uint16Array | Uint32Array;
/** First place, and the place behind the last. */
export type Span = readonly [start: number, end: number];

const FIRST_CAPACITY = 1024;

/** Shape: the first `size` places of `all` are in use; what stands behind them means nothing. */
export class GrowingNumbers<A extends Numbers> {
  all: A;
  size = 0;

  constructor(private readonly create: new (length: number) => A) {
    this.all = new create(FIRST_CAPACITY);
  }

  get bytes(): number {
    return this.all.byteLength;
  }

  push(value: number): void {
    if (this.size === this.all.length) this.reserve(1);
    this.all[this.size] = value;
    this.size += 1;
  }

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const needed = this.size + count;
    if (needed <= this.all.length) return;
    const grown = new this.create(Math.max(needed, Math.ceil(this.all.length * 1.25)));
    grown.set(this.all.subarray(0, this.size));
    this.all = grown;
  }

  /** Keeps these places and no others. Shape: `spans` go upwards and do not meet. */
  keep(spans: readonly Span[]): void {
    let kept = 0;
    for (const [start, end] of spans) {
      this.all.copyWithin(kept, start, end);
      kept += end - start;
    }
    this.size = kept;
  }
}

export function growing32(): GrowingNumbers<Uint32Array> {
  return new GrowingNumbers(Uint32Array);
}

export function growing16(): GrowingNumbers<Uint16Array> {
  return new GrowingNumbers(Uint16Array);
}
