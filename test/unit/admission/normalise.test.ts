/** What two texts are compared by. Source: S-08. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_NORMALISED_UNITS, normalise } from '../../../activities/admission/dedup/normalise.js';

describe('normalised text', () => {
  it.each([
    ['  Fix\n\n- the **Login** page!  ', 'fix the login page'],
    ['ﬁx Ｌｏｇｉｎ', 'fix login'],
    ['Größe, ÄNDERN', 'größe ändern'],
    ['登录、页面', '登录 页面'],
    ['C++ = C#', 'c c'],
    ['*** --- ###', ''],
    ['', ''],
  ])('of %j is %j', (text, normalised) => {
    expect(normalise(text)).toBe(normalised);
  });

  it('is words with single spaces between, and no longer than its bound', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 2000 }), (text, times) => {
        const normalised = normalise(text.repeat(times));
        expect(normalised.length).toBeLessThanOrEqual(MAX_NORMALISED_UNITS);
        expect(normalised).toMatch(/^(?:[\p{L}\p{Nd}]+(?: [\p{L}\p{Nd}]+)*)?$/u);
      }),
      { numRuns: 30 },
    );
  });

  it('is cut only after it was normalised, never inside of a character, and not for a description of 4096 bytes', () => {
    expect(normalise('\uFDFA'.repeat(80_000)).length).toBe(MAX_NORMALISED_UNITS);
    expect(normalise(`${'-'.repeat(100_000)}end`)).toBe('end');
    expect(normalise(`a${'𠀀'.repeat(20_000)}`).length).toBe(MAX_NORMALISED_UNITS - 1);
    expect(normalise('\uFDFA'.repeat(1365)).length).toBe(1365 * 18);
  });
});
