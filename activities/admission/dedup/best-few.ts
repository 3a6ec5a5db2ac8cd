/** The best few rows of one layer, best first, of equal ones the older first. */

/** How many: as many as there may be candidates (S-17). */
export const BEST = 5;

/** Sums in another order differ in the last of 16 digits. Rounded, what is equal is equal, and what stands at a threshold reaches it. */
const DIGITS = 1e12;

export interface Scored {
  readonly row: number;
  /** From 0 to 1, or a BM25 sum; with 12 digits behind the point. */
  readonly score: number;
}

export class BestFew {
  readonly rows: Scored[] = [];
  private readonly least: number;

  /** `least`: what a score must reach to be listed at all, inclusive. Nothing with score 0 is. */
  constructor(least = 0) {
    this.least = round(least);
  }

  atLeast(threshold: number): readonly Scored[] {
    return this.rows.filter(({ score }) => score >= round(threshold));
  }

  /** Whether a row of at most this score, younger than all that were offered, may be listed: what is not needs no exact score. */
  mayTake(atMost: number): boolean {
    const score = round(atMost);
    const worst = this.rows.length < BEST ? 0 : (this.rows.at(-1)?.score ?? 0);
    return score >= this.least && score > worst;
  }

  /** Shape: rows are offered in the order of their age, the oldest first. */
  offer(row: number, exact: number): void {
    if (!this.mayTake(exact)) return;
    const score = round(exact);
    const before = this.rows.findIndex((one) => one.score < score);
    this.rows.splice(before < 0 ? this.rows.length : before, 0, { row, score });
    if (this.rows.length > BEST) this.rows.pop();
  }
}

function round(score: number): number {
  return Math.round(score * DIGITS) / DIGITS;
}
