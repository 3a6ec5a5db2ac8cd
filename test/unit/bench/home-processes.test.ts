/** Which processes are those of a home. */
import { describe, expect, it } from '@jest/globals';
import { withDescendants, workerPidOf } from '../../../bench/home-processes.js';

describe('the processes of a home', () => {
  const one = (pid: number, parent: number, isNamed = false) => ({ pid, parent, isNamed });

  it('are those that name it and what they started, also where pids began anew in between', () => {
    const seen = [one(7, 30_001), one(8, 7), one(9, 1), one(30_000, 1, true), one(30_001, 30_000), one(30_002, 9)];

    expect(withDescendants(seen).toSorted((a, b) => a - b)).toEqual([7, 8, 30_000, 30_001]);
  });

  it('are each one once, those that name it among what others started', () => {
    expect(withDescendants([one(5, 4, true), one(4, 1, true), one(6, 5)])).toEqual([5, 4, 6]);
    expect(withDescendants([one(4, 1)])).toEqual([]);
  });

  it('have no worker without a pid', () => {
    expect(workerPidOf({ worker: { pid: 20, startedAt: '1' } })).toBe(20);
    expect(() => workerPidOf({ worker: null })).toThrow('no worker');
  });
});
