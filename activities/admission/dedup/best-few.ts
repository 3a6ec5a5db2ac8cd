/** The best few rows of one layer, best first, of equal ones the older first. */
import { NEVER_BLOCKS } from './text-rows.js';

/** How many: as many as there may be candidates (S-17). */
export const BEST = 5;

/** Sums in another order differ in the last of 16 digits. Rounded, what is equal is equal, and what stands at a threshold reaches it. */
const DIGITS = 1e12;

export interface Scored {
  readonly row: number;
  /** From 0 to 1, or a BM25 sum; with 12 digits behind the point. */
  readonly score: number;
}

/** The best few of the rows that may block, and beside them of those that never do (S-12): however many of these there are, they hide none of the others. */
export class BestFew {
  private readonly blocking: Scored[] = [];
  private readonly others: Scored[] = [];
  private readonly least: number;

  /** `lives`: of each row, as in `TextRows`. `least`: what a score must reach to be listed at all, inclusive. Nothing with score 0 is. */
  constructor(
    private readonly lives: Uint32Array,
    least = 0,
  ) {
    this.least = round(least);
  }

  get rows(): readonly Scored[] {
    return [...this.blocking, ...this.others].toSorted((one, other) => other.score - one.score || one.row - other.row);
  }

  atLeast(threshold: number): readonly Scored[] {
    return this.rows.filter(({ score }) => score >= round(threshold));
  }

  /** Whether this row, younger than all that were offered, may be listed with at most this score: what is not needs no exact one. */
  mayTake(row: number, atMost: number): boolean {
    const listed = this.listOf(row);
    const score = round(atMost);
    const worst = listed.length < BEST ? 0 : (listed.at(-1)?.score ?? 0);
    return score >= this.least && score > worst;
  }

  /** Shape: rows are offered in the order of their age, the oldest first. */
  offer(row: number, exact: number): void {
    if (!this.mayTake(row, exact)) return;
    const listed = this.listOf(row);
    const score = round(exact);
    const before = listed.findIndex((one) => one.score < score);
    listed.splice(before < 0 ? listed.length : before, 0, { row, score });
    if (listed.length > BEST) listed.pop();
  }

  private listOf(row: number): Scored[] {
    return this.lives[row] === NEVER_BLOCKS ? this.others : this.blocking;
  }
}

function round(score: number): number {
  return Math.round(score * DIGITS) / DIGITS;
}
