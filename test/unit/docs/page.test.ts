/** Holds docs/page.md to the tests that it names, as docs/guarantees.md is held. */
import { describe, expect, it } from '@jest/globals';
import { claimsOf, testExists, testsNamedIn } from '../../support/shown-by.js';

const wishes = claimsOf('docs/page.md').filter((row) => testsNamedIn(row).length > 0);

describe('docs/page.md', () => {
  it('has a test for each wish of its table', () => {
    expect(wishes.length).toBeGreaterThanOrEqual(10);
    expect(claimsOf('docs/page.md').filter((row) => row.includes('shown by') && !row.startsWith('| wish'))).toEqual([]);
  });

  it.each(wishes.flatMap(testsNamedIn))('names a test that exists: $file, $title', (named) => {
    expect(testExists(named)).toBe(true);
  });
});
