import { describe, expect, it } from '@jest/globals';
import { doubleThenWait, firstWait, LOST_WORD, waitThenDouble } from '../../../workflows/actor/back-off.js';

const BACK_OFF = { firstMs: 10, lastMs: 35 };

/** How long each wait lasted, one after the other. */
function lengthsOf(next: typeof waitThenDouble, count: number): readonly number[] {
  const lengths: number[] = [];
  let wait: ReturnType<typeof waitThenDouble> | null = null;
  for (let now = 1_000; lengths.length < count; now = wait.atMs) {
    wait = next(wait, BACK_OFF, now);
    lengths.push(wait.atMs - now);
  }
  return lengths;
}

describe('a back-off', () => {
  it.each([
    ['keeps the length of the next wait', waitThenDouble],
    ['keeps the length of this wait', doubleThenWait],
  ])('that %s is twice as long each time, up to the longest', (_which, next) => {
    expect(lengthsOf(next, 5)).toEqual([10, 20, 35, 35, 35]);
  });

  it('says when a wait is over, and a length', () => {
    expect(firstWait(BACK_OFF, 100)).toEqual({ atMs: 110, everyMs: 10 });
    expect(waitThenDouble({ everyMs: 10 }, BACK_OFF, 100)).toEqual({ atMs: 110, everyMs: 20 });
    expect(doubleThenWait({ everyMs: 10 }, BACK_OFF, 100)).toEqual({ atMs: 120, everyMs: 20 });
  });

  it('waits ten minutes for a word that may be lost, and six hours at last', () => {
    expect(LOST_WORD).toEqual({ firstMs: 600_000, lastMs: 21_600_000 });
  });
});
