/** How many were at work side by side, by when each began and ended. */
import { describe, expect, it } from '@jest/globals';
import { mostAtOnce } from '../../../bench/most-at-once.js';

describe('the most at once', () => {
  it('counts those that overlap, whatever their order', () => {
    expect(mostAtOnce([])).toBe(0);
    expect(mostAtOnce([{ from: 5, to: 9 }])).toBe(1);
    expect(
      mostAtOnce([
        { from: 6, to: 7 },
        { from: 1, to: 4 },
        { from: 3, to: 8 },
        { from: 2, to: 3.5 },
      ]),
    ).toBe(3);
  });

  it('counts one that begins where another ends as after it', () => {
    expect(
      mostAtOnce([
        { from: 4, to: 8 },
        { from: 1, to: 4 },
      ]),
    ).toBe(1);
  });
});
