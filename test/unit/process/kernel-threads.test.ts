import { describe, expect, it } from '@jest/globals';
import { kernelThreadsIn } from '../../../activities/process/guard/kernel-threads.js';

const KTHREADD = '2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 9 0 0 20 0 1 0 9 0 0';

describe('the threads of the kernel', () => {
  it('are the children of process 2 where that one is of the kernel', () => {
    expect(kernelThreadsIn(KTHREADD, '3 4 118 ')).toEqual([3, 4, 118]);
    expect(kernelThreadsIn(KTHREADD, '')).toEqual([]);
  });

  it.each([
    ['a program of a container', '2 (sh) S 1 1 1 0 -1 4194560 0 0 0 0 0 9 0 0 20 0 1 0 9 0 0'],
    ['a program by the name of the first thread', '2 (kthreadd) S 0 0 0 0 -1 4194560 0 0 0 0 0 9 0 0 20 0 1 0 9 0 0'],
    ['a program whose name looks like its fields', '2 (x) S 0 0 0 0 -1 2129984) S 1 1 1 0 -1 4194560 0 0 0 0 0 9 0'],
    ['away', ''],
  ])('are not known where process 2 is %s', (_, stat) => {
    expect(kernelThreadsIn(stat, '3 4 118 ')).toEqual([]);
  });
});
