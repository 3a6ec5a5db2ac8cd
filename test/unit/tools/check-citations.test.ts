import { describe, expect, it } from '@jest/globals';
import { citationsOf, doubledIn, type Known } from '../../../tools/check-citations.js';

const KNOWN: Known = { rows: new Set(['V-09', 'V-101']) };

describe('the check of citations', () => {
  it.each([
    ['a comment', '/** Source: V-09, V-102. */'],
    ['a title', "it('V-102, V-09: goes on', () => {})"],
    ['another system', '/** Source: W-10. */'],
  ])('refuses an id that no page has, in %s, and names it once', (_where, text) => {
    const { rows, faults } = citationsOf('a.ts', text, KNOWN);

    expect(rows).toBe(text.split(/[VW]-/).length - 1);
    expect(faults).toEqual([expect.stringMatching(/^a\.ts names (V-102|W-10), which no page of docs\/requirements has$/)]);
  });

  it('takes no other name for an id', () => {
    expect(citationsOf('a.ts', 'R-6, SHA-256, UTF-16, V-2026', KNOWN)).toEqual({ rows: 0, faults: [] });
  });

  it('finds ids that two rows have', () => {
    expect(doubledIn(['V-09', 'V-101', 'V-09', 'V-09'])).toEqual(['V-09']);
  });
});
