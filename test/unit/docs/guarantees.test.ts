/** Holds docs/guarantees.md to the tests that it names: a claim without a test, or with one that does not exist, is red. */
import { describe, expect, it } from '@jest/globals';
import { claimsOf, testExists, testsNamedIn } from '../../support/shown-by.js';

/** What jest.config.js leaves to commands of its own. */
const APART = /^test\/(?!(?:unit|workflow|replay|conformance|chaos|security|e2e)\/|page\/[^/]+$)/;

const rows = claimsOf('docs/guarantees.md');

describe('docs/guarantees.md', () => {
  it('names a test in every row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => testsNamedIn(row).length === 0)).toEqual([]);
  });

  it('marks each row with † that names only tests which npm test does not start, and no other', () => {
    const isApart = (row: string) => testsNamedIn(row).every(({ file }) => APART.test(file));

    expect(rows.filter((row) => row.startsWith('| † ') !== isApart(row))).toEqual([]);
    expect(rows.some(isApart)).toBe(true);
  });

  it.each(rows.flatMap(testsNamedIn))('names a test that exists: $file, $title', (named) => {
    expect(testExists(named)).toBe(true);
  });
});
