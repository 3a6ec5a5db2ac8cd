/** Who pays for what in the CPU figures of the bench. */
import { describe, expect, it } from '@jest/globals';
import { type HomeCpu, type HomeKind, isQuietBetween, kindOf, readStat, usedBetween } from '../../../bench/home-cpu.js';

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

describe('what a home used meanwhile', () => {
  const LASTING: HomeCpu['lasting'] = new Map([
    [10, 'server'],
    [20, 'worker'],
    [30, 'guard'],
    [21, 'git'],
  ]);
  const used = (ms: Partial<Record<HomeKind, number>>, lasting = LASTING): HomeCpu => ({
    ms: { server: 0, worker: 0, guard: 0, git: 0, rest: 0, ...ms },
    lasting,
  });
  const without = (pid: number) => new Map([...LASTING].filter(([other]) => other !== pid));

  it('is the difference, of a process that came meanwhile all', () => {
    const before = used({ server: 100, worker: 50 }, without(21));

    expect(usedBetween(before, used({ server: 140, worker: 50, git: 30 }))).toEqual({
      server: 40,
      worker: 0,
      guard: 0,
      git: 30,
      rest: 0,
    });
  });

  it.each([10, 20, 30, 21])('is not known where process %i did not live on', (pid) => {
    const another = new Map([...without(pid), [99, LASTING.get(pid) ?? 'rest']] as const);

    expect(() => usedBetween(used({}), used({ server: 500, worker: 500 }, another))).toThrow(`process ${pid} did not`);
  });

  it('is not known where less was used than before', () => {
    expect(() => usedBetween(used({ rest: 40 }), used({ rest: 30 }))).toThrow('rest used -10 ms');
  });

  it('is quiet where nobody used more than a tick', () => {
    expect(isQuietBetween(used({ server: 100 }), used({ server: 110, git: 10 }))).toBe(true);
    expect(isQuietBetween(used({ worker: 100 }), used({ worker: 120 }))).toBe(false);
    expect(isQuietBetween(used({ rest: 100 }), used({ rest: 0 }))).toBe(false);
  });
});
