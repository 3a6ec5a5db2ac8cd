import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutMiddle } from '../../../config/system/cut-middle.js';

describe('a long text', () => {
  it('keeps head and tail and says how much is missing', () => {
    const cut = cutMiddle(`HEAD${'x'.repeat(1000)}TAIL`, 200);

    expect(cut).toMatch(/^HEADx+\n\[… 872 bytes left out …\]\nx+TAIL$/);
  });

  it('is left alone where it fits', () => {
    expect(cutMiddle('é'.repeat(50), 100)).toBe('é'.repeat(50));
  });

  it('never grows beyond its limit and never splits a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }).filter((text) => !text.includes('\ufffd')),
        fc.integer({ min: 64, max: 300 }),
        (text, max) => {
          const cut = cutMiddle(text, max);

          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
          expect(cut).not.toContain('\uFFFD');
        },
      ),
    );
  });
});
