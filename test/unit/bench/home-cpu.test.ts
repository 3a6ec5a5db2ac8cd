/** Who pays for what in the CPU figures of the bench. */
import { describe, expect, it } from '@jest/globals';
import { kindOf, readStat } from '../../../bench/home-cpu.js';

describe('a process of a home', () => {
  const OF = { server: 10, worker: 20, guard: 30 };

  it.each([
    ['server', 10, 1],
    ['worker', 20, 1],
    ['guard', 30, 20],
    ['guard', 31, 30],
    ['git', 21, 20],
    ['rest', 40, 1],
  ] as const)('is of the kind %s with the pid %i and the parent %i', (kind, pid, parent) => {
    expect(kindOf({ pid, parent }, OF)).toBe(kind);
  });

  it('is of the rest where neither guard nor worker lives', () => {
    expect(kindOf({ pid: 31, parent: 1 }, { server: 10, worker: undefined, guard: null })).toBe('rest');
  });

  it('used what its line in /proc says, its children apart, whatever it is called', () => {
    const line = '31 (a ) b (c) S 30 31 31 0 -1 4194560 100 200 0 0 7 5 11 2 20 0 1 0 100 200 300';

    expect(readStat(line)).toEqual({ parent: 30, own: 120, reaped: 130 });
    expect(readStat('')).toEqual({ parent: 0, own: 0, reaped: 0 });
  });
});
