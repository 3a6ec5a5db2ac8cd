/** What one run says of the cells in it. Pure. */
import { type Cell, nameOfCell } from './cells.js';
import { type Counts, isClean } from './verdict.js';

export interface CellResult {
  readonly cell: Cell;
  /** Null: the failpoint did not fire, so the cell does not count. */
  readonly counts: Counts | null;
  /** Why it could not be told. */
  readonly error: string | null;
}

export interface TripVerdict {
  readonly stands: readonly CellResult[];
  /** Those of which it says nothing: each is to have a run of its own. */
  readonly again: readonly Cell[];
  /** Of a run of several cells that was not clean or did not end, for people. */
  readonly failure: string | null;
}

/** A run is clean with a fault or without one, so what did not fire is no excuse for it. */
export function resultOf(cell: Cell, hasFired: boolean, counts: Counts): CellResult {
  if (hasFired) return { cell, counts, error: null };
  return { cell, counts: null, error: isClean(counts) ? null : `it did not fire, and yet: ${JSON.stringify(counts)}` };
}

/**
 * No limit of the product is reached by the faults of one trip: a turn is tried again as often as its worker dies, and no child of the engine dies six times. So one that is not clean is a failure by
 * itself, whatever its cells do alone; which of them it was, their own runs may tell.
 */
export function judgeTrip(results: readonly CellResult[]): TripVerdict {
  if (results.length === 1) return { stands: results, again: [], failure: null };
  const cells = results.map(({ cell }) => cell);
  const bad = results.find(({ counts, error }) => error !== null || (counts !== null && !isClean(counts)));
  if (bad !== undefined) {
    const why = bad.error ?? JSON.stringify(bad.counts);
    return { stands: [], again: cells, failure: `${cells.map(nameOfCell).join(' and ')}, in one run: ${why}` };
  }
  const isSilent = ({ counts }: CellResult) => counts === null;
  return {
    stands: results.filter((one) => !isSilent(one)),
    again: results.filter(isSilent).map(({ cell }) => cell),
    failure: null,
  };
}
