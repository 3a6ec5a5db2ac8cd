/** Holds docs/security.md to the tests that it names: an attack without a test, or with one that does not exist, is red. */
import { describe, expect, it } from '@jest/globals';
import { claimsOf, testExists, testsNamedIn } from '../../support/shown-by.js';

const rows = claimsOf('docs/security.md');

describe('docs/security.md', () => {
  it('names a test in every row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => testsNamedIn(row).length === 0)).toEqual([]);
  });

  it.each(rows.flatMap(testsNamedIn))('names a test that exists: $file, $title', (named) => {
    expect(testExists(named)).toBe(true);
  });
});
