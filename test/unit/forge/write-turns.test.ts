/** Whoever writes to a forge waits for the writes of the same owner that came before. */
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { WriteTurns } from '../../../activities/forge/write-turns.js';

describe('the turns of those who write to a forge', () => {
  it('are a gap apart for one owner, however it is written, and no other waits for them', () => {
    const turns = new WriteTurns();
    const take = (owner: string, now: number) => turns.take(owner, { now, gapMs: 1000 });

    expect([take('acme', 5), take('Acme', 5), take('ACME', 505), take('other', 505)]).toEqual([0, 1000, 1500, 0]);
    expect([take('acme', 9000), take('acme', 9999)]).toEqual([0, 1]);
  });

  it('are never nearer to each other than the gap, whoever asks when', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3000), { maxLength: 40 }), (waits) => {
        const turns = new WriteTurns();
        let now = 0;
        const at = waits.map((wait) => {
          now += wait;
          return now + turns.take('acme', { now, gapMs: 1000 });
        });

        expect(at.every((turn, n) => n === 0 || turn - (at[n - 1] ?? 0) >= 1000)).toBe(true);
      }),
    );
  });
});
