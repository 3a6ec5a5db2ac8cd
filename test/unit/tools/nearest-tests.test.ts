import { describe, expect, it } from '@jest/globals';
import { type Candidate, chooseNearest, type Nearness } from '../../../tools/nearest-tests.js';

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
