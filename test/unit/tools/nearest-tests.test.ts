import { describe, expect, it } from '@jest/globals';
import {
  type Candidate,
  chooseNearest,
  isServerTest,
  type Nearness,
  nearnessOf,
} from '../../../tools/nearest-tests.js';

const aTest = (file: string, nearness: Nearness, seconds: number): Candidate => ({ file, nearness, seconds });

describe('the tests for a change', () => {
  it('are the nearest first, of one nearness the quickest first', () => {
    const chosen = chooseNearest(
      [
        aTest('far', 'reaches', 1),
        aTest('slow', 'names', 9),
        aTest('quick', 'names', 2),
        aTest('killer', 'kills', 5),
        aTest('own', 'changed', 8),
      ],
      100,
    );

    expect(chosen.map(({ file }) => file)).toEqual(['own', 'killer', 'quick', 'slow', 'far']);
  });

  it('are as many as fit, and what changed itself whatever it takes', () => {
    const chosen = chooseNearest(
      [aTest('far', 'reaches', 1), aTest('slow', 'names', 9), aTest('killer', 'kills', 5), aTest('own', 'changed', 90)],
      96,
    );

    expect(chosen.map(({ file }) => file)).toEqual(['own', 'killer', 'far']);
  });
});

describe('a test', () => {
  const CHANGE = {
    changed: ['config/system/within.ts', 'test/unit/config/own.test.ts', 'workflows/run/run.ts'],
    killers: [{ file: 'test/workflow/run.test.ts' }],
    reaching: new Set(['test/unit/config/far.test.ts']),
  };

  it.each<readonly [Nearness | null, string, string]>([
    ['changed', 'test/unit/config/own.test.ts', ''],
    ['changed', 'test/replay/replay.test.ts', ''],
    ['kills', 'test/workflow/run.test.ts', ''],
    ['names', 'test/unit/config/within.test.ts', "from '../../../config/system/within.js';"],
    ['names', 'test/unit/tools/files.test.ts', "'config/system/within.ts'"],
    ['reaches', 'test/unit/config/far.test.ts', ''],
    [null, 'test/unit/config/other.test.ts', "from '../../../config/system/without.js';"],
  ])('is as near as %s to what changed or is gone, where it is %s', (nearness, file, text) => {
    expect(nearnessOf({ file, text }, CHANGE)).toBe(nearness);
  });

  it('of the page is one of the server project in its own folder alone, as jest has it', () => {
    const files = [
      'test/page/tabs.test.ts',
      'test/page/whole/tabs.test.ts',
      'test/e2e/any/run.test.ts',
      'test/unit/a.test.ts',
    ];

    expect(files.filter(isServerTest)).toEqual(['test/page/tabs.test.ts', 'test/e2e/any/run.test.ts']);
  });
});
