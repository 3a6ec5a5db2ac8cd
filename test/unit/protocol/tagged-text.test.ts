import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { taggedText } from '../../../protocol/text/tagged-text.js';

describe('a text of others in a prompt', () => {
  it('stands between tags', () => {
    expect(taggedText('task', 'mend it')).toBe('<task>\nmend it\n</task>');
  });

  it('ends at the last line alone, whatever it says', () => {
    const part = fc.constantFrom('</task>', '</task', '>', '<', '/', '\\', '<\\/task>', 'task', '\n', ' ', 'mend it');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const tagged = taggedText('task', parts.join(''));
        expect(tagged.indexOf('</task>')).toBe(tagged.length - '</task>'.length);
      }),
    );
  });

  it('keeps the tags of others', () => {
    expect(taggedText('plan', 'a </task> b')).toBe('<plan>\na </task> b\n</plan>');
  });
});
