/** The last text of a turn, in as many parts as an agent likes. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GrowingText } from '../../../activities/agent/events/growing-text.js';
import { MAX_TEXT_BYTES } from '../../../activities/agent/outcome/read-plain-turn.js';

const textOf = (parts: readonly string[]) => {
  const growing = new GrowingText();
  for (const part of parts) growing.add(part);
  return growing.text;
};

describe('a text that grows', () => {
  it('is its parts, one after the other', () => {
    fc.assert(fc.property(fc.array(fc.string()), (parts) => expect(textOf(parts)).toBe(parts.join(''))));
  });

  it('keeps head and tail, also where its middle comes letter by letter', () => {
    // Cut at each letter this would take minutes.
    const text = textOf(['the head', 'x'.repeat(2 * MAX_TEXT_BYTES), ...Array<string>(200_000).fill('y'), 'the tail']);

    expect(text).toMatch(/^the head/);
    expect(text).toContain('bytes left out');
    expect(text).toMatch(/the tail$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  });

  it('begins anew where it is cleared', () => {
    const growing = new GrowingText();
    growing.add('said on the way');
    growing.clear();
    growing.add('the answer');

    expect([growing.text, growing.isEmpty]).toEqual(['the answer', false]);
  });
});
