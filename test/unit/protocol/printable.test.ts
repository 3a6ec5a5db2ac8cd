import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { printable, printableLine, withoutSequences } from '../../../protocol/text/printable.js';
import { expectLinearCost } from '../../support/linear-cost.js';

describe('printable', () => {
  it.each([
    ['a colour', '\x1b[31mred\x1b[0m', 'red'],
    ['a title change', '\x1b]0;owned\x07text', 'text'],
    ['a link', '\x1b]8;;http://x\x1b\\name\x1b]8;;\x1b\\', 'name'],
    ['a C1 sequence', '\x9b2Jtext', 'text'],
    ['a lone escape', 'a\x1b', 'a␛'],
    ['a bell', 'a\x07', 'a␇'],
    ['a return that overwrites', 'good\rbad', 'good␍bad'],
    ['a Windows newline', 'a\r\nb', 'a\nb'],
    ['a bidi override', 'a\u202eb', 'a<U+202E>b'],
    ['a zero-width space', 'a\u200bb', 'a<U+200B>b'],
    ['a line separator', 'a\u2028b', 'a<U+2028>b'],
    ['smuggled tags', 'a\u{e0041}', 'a<U+E0041>'],
    ['delete', 'a\x7f', 'a␡'],
  ])('shows %s harmlessly', (_name, text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it.each([
    'plain\n\ttext',
    '👩‍💻',
    '❤️',
    '👍🏽',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '1️⃣',
    '🏳️‍🌈',
    'Grüße 你好',
  ])('keeps %s', (text) => {
    expect(printable(text)).toBe(text);
  });

  it('takes no text for a sequence that begins with another one', () => {
    expect(printable('\x9dtitle\x9dtitle\x07text')).toBe('<U+009D>titletext');
  });

  it.each(['\x9d', '\x90a', '\x98\x9b0', '\x9b0', '\x1b]', '\x1bP\x1b', '\x1b;#', '\x1b[;#', '\u{e0041}'])(
    'costs in proportion to its length where that is many of %j',
    (piece) => {
      expectLinearCost(1_000_000, (length) => {
        const text = piece.repeat(length / piece.length);
        printable(text);
        withoutSequences(`\x1b${piece.slice(1).repeat(length / piece.length)}`);
      });
    },
  );

  it('leaves no control character but newline and tab, no bidi control and no separator in any text', () => {
    const nasty = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '\x9b',
      '0m',
      '\x07',
      '\u202e',
      '\u2066',
      '\u2029',
      '\u200b',
      '\n',
      '\ud800',
      'a',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' }))), (pieces) => {
        const shown = printable(pieces.join(''));
        expect(shown).not.toMatch(/[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/u);
        expect(printable(shown)).toBe(shown);
      }),
    );
  });

  it('keeps a line on one line', () => {
    expect(printableLine('a\nb\tc')).toBe('a⏎b c');
  });

  it('makes one line of any text, at most nine times as long, and leaves plain words as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.lorem(), (text, words) => {
        const line = printableLine(`${text} ${words}`);

        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(line.length).toBeLessThanOrEqual(9 * (text.length + words.length + 1));
        expect(printableLine(words)).toBe(words);
        expect(printableLine(line)).toBe(line);
      }),
      { numRuns: 300 },
    );
  });
});
