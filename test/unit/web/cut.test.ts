/** What is longer than a page can show is cut, and says so. */
import { describe, expect, it } from '@jest/globals';
import { cutDeep, cutList } from '../../../client/http/cut.js';

const BOUNDS = { maxEntries: 3, maxChars: 10, maxAll: 60 };

describe('a text', () => {
  it('that fits is as it was', () => {
    const value = { a: '0123456789', b: [1, null, true], c: ['x'] };

    expect(cutDeep(value, 10)).toEqual(value);
  });

  it('that does not is cut, however deep it stands, and says how long it is', () => {
    expect(cutDeep({ a: { b: ['x'.repeat(20_000_000)] } }, 3)).toEqual({
      a: { b: ['xxx… (cut here: 20000000 characters)'] },
    });
  });

  it('of many is told with how many there are more', () => {
    const { files } = cutDeep({ files: Array.from({ length: 100_000 }, (_, n) => `f${n}`) }, 10);

    expect([files.length, files.at(-1)]).toEqual([201, '… and 99800 more']);
  });
});

describe('a list', () => {
  it('has its first entries, and says of how many', () => {
    expect(cutList('findings', ['a', 'b', 'c', 'd'], BOUNDS)).toEqual({
      list: ['a', 'b', 'c'],
      told: 'findings: the first 3 of 4 are shown',
    });
    expect(cutList('findings', ['a'], BOUNDS)).toEqual({ list: ['a'], told: null });
  });

  it('has fewer where they are long, and one at least', () => {
    const long = 'x'.repeat(100);

    expect(cutList('findings', [long, long, long], BOUNDS).list).toHaveLength(1);
  });
});
