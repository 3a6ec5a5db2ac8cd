/** Holds docs/guarantees.md to the tests that it names: a claim without a test, or with one that does not exist, is red. */

import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const SHOWN_BY = /`(test\/[^`]+\.test\.ts)`: "([^"]+)"/g;

const rows = readFileSync('docs/guarantees.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .filter((line) => !/\| (?:shown by|red) \|$/.test(line));

const named = rows.flatMap((row) => [...row.matchAll(SHOWN_BY)].map(([, file = '', title = '']) => ({ file, title })));

describe('docs/guarantees.md', () => {
  it('names a test in every row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => row.match(SHOWN_BY) === null)).toEqual([]);
  });

  it.each(named)('names a test that exists: $file, $title', ({ file, title }) => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';

    expect(text).toContain(`'${title}'`);
  });
});
