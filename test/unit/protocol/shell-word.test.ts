import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shellWord } from '../../../protocol/text/shell-word.js';

/** What a shell makes of a line of words. */
function wordsOf(line: string): readonly string[] {
  return execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

/** Whatever a shell reads as more than itself is likely, beside any other character. */
const char = fc.oneof(
  fc.constantFrom(...Array.from('\'"\\$`!*?[]{}()<>|&;#~=%^- \t\n\r')),
  fc.constantFrom('a', '1', '.', '/', '-', "'\\''"),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\0'),
);
const text = fc.string({ unit: char, maxLength: 12 });

describe('a text as one word of a command line', () => {
  it('is that text and no other word to sh, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 60 }), (texts) => {
        expect(wordsOf(texts.map(shellWord).join(' '))).toEqual(texts);
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ['plain/path-1.x', 'plain/path-1.x'],
    ['user@host:a,b+c%d', 'user@host:a,b+c%d'],
    ["it's", String.raw`'it'\''s'`],
    ['a b', "'a b'"],
    ['a\nb', "'a\nb'"],
    ['~', "'~'"],
    // The place of a program, to zsh.
    ['=ls', "'=ls'"],
    ['', "''"],
  ])('%j stands in quotes only where it must', (plain, expected) => {
    expect(shellWord(plain)).toBe(expected);
  });
});
