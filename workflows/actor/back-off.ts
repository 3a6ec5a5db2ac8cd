/**
 * Waits before something is tried again, each twice as long as the one before, up to a longest one. What is kept of them is the time at which the wait is over, and a length:
 * that of the next wait for `waitThenDouble`, that of this one for `doubleThenWait`. Both are in histories. Pure.
 */

/** Unit: ms. */
export interface BackOff {
  readonly firstMs: number;
  readonly lastMs: number;
}

interface Wait {
  /** Unit: ms since 1970. */
  readonly atMs: number;
  readonly everyMs: number;
}

/** Null: nothing was waited for yet. */
type Before = Pick<Wait, 'everyMs'> | null;

/** How long a word that may be lost is waited for. */
export const LOST_WORD: BackOff = { firstMs: 10 * 60_000, lastMs: 6 * 60 * 60_000 };

export function firstWait({ firstMs }: BackOff, now: number): Wait {
  return { atMs: now + firstMs, everyMs: firstMs };
}

export function waitThenDouble(before: Before, { firstMs, lastMs }: BackOff, now: number): Wait {
  const everyMs = before?.everyMs ?? firstMs;
  return { atMs: now + everyMs, everyMs: Math.min(2 * everyMs, lastMs) };
}

export function doubleThenWait(before: Before, backOff: BackOff, now: number): Wait {
  if (before === null) return firstWait(backOff, now);
  const everyMs = Math.min(2 * before.everyMs, backOff.lastMs);
  return { atMs: now + everyMs, everyMs };
}
