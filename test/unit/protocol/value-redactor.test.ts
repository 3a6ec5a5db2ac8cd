/** Values that a run was given are shown nowhere, in whatever form they are printed. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createValueRedactor, SHAPES_ONLY } from '../../../protocol/text/value-redactor.js';

const VALUE = 'correct horse/battery';
const MARK = '[redacted:environment]';

/** No brackets: a value that holds part of a marker is not promised. */
const aValue = fc
  .string({ minLength: 6, maxLength: 40, unit: fc.constantFrom(...'abXY01 /+="\\\n\tä€😀$.*'.split(/(?:)/u)) })
  .filter((value) => value.replace(/^["'\\\s]+|["'\\\s]+$/g, '').length >= 5);

/** Texts in which values stand, whole and in pieces. */
const aCase = fc.array(aValue, { minLength: 1, maxLength: 4 }).chain((values) => {
  const trimmed = values.map((value) => value.trim());
  const piece = fc.oneof(
    fc.constantFrom(...trimmed),
    fc.constantFrom(...trimmed).map((value) => value.slice(0, 5)),
    fc.string({ maxLength: 12 }).map((text) => text.replace(/[[\]]/g, '')),
  );
  return fc.record({ values: fc.constant(trimmed), pieces: fc.array(piece, { maxLength: 8 }) });
});

describe('a redactor that knows values', () => {
  it('leaves no value in a text, however it stands in it', () => {
    fc.assert(
      fc.property(aCase, ({ values, pieces }) => {
        const text = createValueRedactor(values).text(pieces.join(''));
        for (const value of values) expect(text).not.toContain(value);
      }),
    );
  });

  it('leaves no value in JSON, not even where JSON stands in JSON, and it stays JSON', () => {
    fc.assert(
      fc.property(aCase, ({ values, pieces }) => {
        const redactor = createValueRedactor(values);
        const nested = JSON.stringify({ result: JSON.stringify({ text: pieces.join('') }) });

        const shown: unknown = JSON.parse(redactor.hide(nested));
        const inner = JSON.parse((shown as { result: string }).result) as { text: string };

        for (const value of values) expect(inner.text).not.toContain(value);
        for (const value of values) expect(JSON.stringify(redactor.json([pieces, { a: value }]))).not.toContain(value);
      }),
    );
  });

  it('gives for pieces what it gives for the whole, wherever the cuts are', () => {
    fc.assert(
      fc.property(aCase, fc.integer({ min: 1, max: 9 }), ({ values, pieces }, size) => {
        const redactor = createValueRedactor(values);
        const whole = pieces.join('');
        const stream = redactor.stream();
        let out = '';
        for (let at = 0; at < whole.length; at += size) out += stream.push(whole.slice(at, at + size));
        expect(out + stream.end()).toBe(redactor.text(whole));
      }),
    );
  });

  it.each([
    ['bare', `it is ${VALUE}.`],
    ['in an address', `http://h/?q=${encodeURIComponent(VALUE)}&x`],
    ['in JSON that keeps to ASCII', '{"k":"gr\\u00fc\\u00dfe an alle"}'],
  ])('finds a value %s', (_where, text) => {
    expect(createValueRedactor([VALUE, 'grüße an alle']).text(text)).toContain(MARK);
  });

  it('finds a line of a value of several lines, and takes a key whole', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'Ab1+'.repeat(12)}\n${'cD2/'.repeat(12)}\n-----END PRIVATE KEY-----`;
    const redactor = createValueRedactor([key]);

    expect(redactor.text(`  ${'cD2/'.repeat(12)}  `)).toBe(`  ${MARK}  `);
    expect(redactor.text(key)).toBe(MARK);
    expect(redactor.text('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
  });

  it.each(['aaaaa\\', '"aaaaa"', '\\"aaaaa'])(
    'leaves JSON whole around a text like the value %j without its ends',
    (value) => {
      const nested = JSON.stringify({ result: JSON.stringify({ text: 'aaaaa', value }) });

      const shown = JSON.parse(createValueRedactor([value]).hide(nested)) as { readonly result: string };

      expect((JSON.parse(shown.result) as { readonly value: string }).value).not.toContain('aaaaa');
    },
  );

  it('takes the longer of two values where one begins like the other', () => {
    expect(createValueRedactor(['abcdefgh', 'abcdefgh-and-more']).text('abcdefgh-and-more')).toBe(MARK);
  });

  it('hides the beginning of a value where a text was cut in it', () => {
    const { hideCut } = createValueRedactor([VALUE]);

    expect(hideCut(`API Error: ${VALUE.slice(0, 9)}`)).toBe(`API Error: ${MARK}`);
    expect(hideCut(`API Error: ${VALUE} corre`)).toBe(`API Error: ${MARK} corre`);
  });

  it('finds secrets of known shapes as well', () => {
    const token = `ghp_${'a1'.repeat(18)}`;
    const redactor = createValueRedactor([VALUE]);

    expect(redactor.text(`${VALUE} ${token}`)).toBe(`${MARK} [redacted:github-token]`);
    expect(redactor.json({ a: token })).toEqual({ a: '[redacted:github-token]' });
  });

  it('leaves the names of fields as they are, and hides what stands in them', () => {
    const redactor = createValueRedactor(['timestamp', 'commands']);

    expect(redactor.json({ timestamp: 'commands', [`ghp_${'a1'.repeat(18)}`]: ['the timestamp'] })).toEqual({
      timestamp: MARK,
      '[redacted:github-token]': [`the ${MARK}`],
    });
  });

  it('is the plain one where there is no value, and its own marker is none', () => {
    expect(createValueRedactor([])).toBe(SHAPES_ONLY);
    expect(createValueRedactor(['', '  ', 'redacted', 'environment'])).toBe(SHAPES_ONLY);
  });

  it('takes 10 MB with ten values in linear time', () => {
    const values = Array.from({ length: 10 }, (_, n) => `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa${n}`);

    expect(createValueRedactor(values).text('a'.repeat(10_000_000))).toHaveLength(10_000_000);
  });
});
