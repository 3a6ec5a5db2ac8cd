/** Lines of a text that may have millions of them. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eachLine } from '../../../activities/git/refs/each-line.js';

describe('the lines of a text', () => {
  it('are those that a split has', () => {
    const texts = fc.string({ unit: fc.constantFrom('\n', 'a', ' ', '\r', 'é') });
    fc.assert(fc.property(texts, (text) => expect([...eachLine(text)]).toEqual(text.split('\n'))));
  });

  it('are not made before they are asked for', () => {
    const text = '\n'.repeat(30_000_000);
    // Flat by then.
    expect(text.indexOf('x')).toBe(-1);
    const before = process.memoryUsage().heapUsed;
    const lines = eachLine(text);
    for (let n = 0; n < 1_000; n += 1) lines.next();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30_000_000);
  });
});
