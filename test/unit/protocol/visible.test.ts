/** What is shown of a text that grows: final at once, as early as it can be, and never a part of a secret. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redact } from '../../../protocol/text/redact.js';
import { createValueRedactor, type Redactor, SHAPES_ONLY } from '../../../protocol/text/value-redactor.js';
import { LEFT_OUT, MAX_LINE_CHARS } from '../../../protocol/text/visible.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import { anySecret, edge, expectGone, noise } from '../../support/planted-secrets.js';

/** What had been shown after each piece. */
function shownAfter(redactor: Redactor, pieces: readonly string[]): readonly string[] {
  const text = redactor.visible();
  let out = '';
  return pieces.map((piece) => {
    out += text.push(piece);
    return out;
  });
}

/** Of the whole text, when it has ended. */
function shownOf(redactor: Redactor, text: string): string {
  const visible = redactor.visible();
  return visible.push(text) + visible.end();
}

function inPieces(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const size of sizes) {
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return [...pieces, text.slice(at)];
}

/** No brackets: a value that holds part of a marker is not promised. */
const aValue = fc
  .string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(...'abXY01 /+="\\\n\tä€😀$.*'.split(/(?:)/u)) })
  .map((value) => `v${value}v`);

const words = fc.constantFrom(
  'one',
  'two ',
  'a task',
  '\n',
  '\n\n',
  ' token',
  'https://host/a b',
  '-----BEGIN ',
  '\\n',
);

interface Drawn {
  readonly text: string;
  readonly bodies: readonly { readonly text: string; readonly kind: string; readonly body: string }[];
  readonly values: readonly string[];
}

/** Secrets of known shapes, and values of an environment in the forms in which they are printed, among words. */
const aText: fc.Arbitrary<Drawn> = fc.array(aValue, { maxLength: 3 }).chain((values) => {
  const value = fc
    .constantFrom('', ...values)
    .chain((of) => fc.constantFrom(of, of.slice(0, 7), JSON.stringify(of), encodeURIComponent(of)));
  const planted = fc.tuple(noise, edge, anySecret, edge).map(([before, left, secret, right]) => ({
    // What is a part of a word is not known as a secret.
    text: ` ${before}${left}${secret.text}${right} `,
    secret,
  }));
  const piece = fc.oneof(
    fc.oneof(words, value, noise).map((text) => ({ text, secret: null })),
    planted,
  );
  return fc.array(piece, { maxLength: 12 }).map((pieces) => ({
    text: pieces.map(({ text }) => text).join(''),
    bodies: pieces.flatMap(({ secret }) => (secret === null ? [] : [secret])),
    values,
  }));
});

describe('what is visible of a text that grows', () => {
  it('after each character begins what is visible after the next one, and the whole when it is redacted', () => {
    fc.assert(
      fc.property(aText, ({ text, bodies, values }) => {
        const redactor = createValueRedactor(values);
        const shown = shownAfter(redactor, text.split(/(?:)/u));
        const whole = redact(redactor.hideCut(text));

        for (const [at, one] of shown.entries()) expect((shown[at + 1] ?? whole).slice(0, one.length)).toBe(one);
        expect(shownOf(redactor, text)).toBe(whole);
        for (const body of bodies) expectGone(whole, body);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same wherever the pieces end', () => {
    fc.assert(
      fc.property(aText, fc.array(fc.nat(60), { maxLength: 20 }), ({ text, values }, sizes) => {
        const redactor = createValueRedactor(values);
        const pieces = inPieces(text, sizes);
        const shown = shownAfter(redactor, pieces);

        for (const at of pieces.keys()) {
          const before = pieces.slice(0, at + 1).join('');
          expect(shown[at]).toBe(shownAfter(redactor, [before])[0]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('of a secret that is cut at any character is nothing, and comes as its marker once its line ends', () => {
    fc.assert(
      fc.property(anySecret, ({ text: secret }) => {
        const text = `I say ${secret}`;
        for (let cut = 0; cut <= text.length; cut += 1) {
          const [shown = ''] = shownAfter(SHAPES_ONLY, [text.slice(0, cut)]);
          expect(['', 'I ', 'I say ', 'I say export ']).toContain(shown);
        }
        const [line] = shownAfter(SHAPES_ONLY, [`${text} to you\nmore`]);
        expect(line).toBe(redact(`${text} to you\n`));
      }),
      { numRuns: 60 },
    );
  });

  it('of a value of the environment is nothing, and what cannot begin one does not wait for it', () => {
    const redactor = createValueRedactor(['correct horse battery']);
    const shown = shownAfter(redactor, ['it is ', 'corr', 'ect horse batt', 'ery for ', 'a correct hor', 'n ']);

    expect(shown).toEqual([
      'it is ',
      'it is ',
      'it is ',
      'it is [redacted:environment] for ',
      'it is [redacted:environment] for a ',
      'it is [redacted:environment] for a correct horn ',
    ]);
  });

  it('lags by a word where people are spoken to', () => {
    expect(shownAfter(SHAPES_ONLY, ['I look a', 't the te', 'st now.\nThen'])).toEqual([
      'I look ',
      'I look at the ',
      'I look at the test now.\n',
    ]);
  });

  it('is nothing of a key until its END, nor of one that goes on without any', () => {
    const key = '-----BEGIN EC PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3V\nygWyF8PbnGy0AHB7Mhgx\n';
    const lines = `${'MIIEpAIBAAKCAQEA'.repeat(4)}\n`.repeat(300);

    expect(shownAfter(SHAPES_ONLY, [`x\n${key}`, '-----END EC PRIVATE KEY-----', '\n'])).toEqual([
      'x\n',
      'x\n',
      'x\n[redacted:private-key]\n',
    ]);
    expect(shownAfter(SHAPES_ONLY, [`x\n${key}`, lines])).toEqual(['x\n', 'x\n']);
    expect(shownOf(SHAPES_ONLY, key + lines)).toBe('[redacted:private-key]\n');
  });
});

describe('a line that is too long', () => {
  const head = `${'word '.repeat(20)}token `;
  const long = `${head}${'y '.repeat(MAX_LINE_CHARS)}`;

  it.each([[[]], [[7]], [[MAX_LINE_CHARS - 1, 1, 1, 1]], [[MAX_LINE_CHARS + 9, 90_000]], [[40_000, 40_000, 40_000]]])(
    'is left out behind what was shown of it, which is said once, however it comes: %j',
    (sizes) => {
      const shown = shownAfter(SHAPES_ONLY, inPieces(`before\n${long}\nafter\n`, sizes)).at(-1);

      expect(shown).toBe(`before\n${'word '.repeat(20)}${LEFT_OUT}after\n`);
    },
  );

  it('is none where it has just the length', () => {
    const line = 'z'.repeat(MAX_LINE_CHARS);

    expect(shownOf(SHAPES_ONLY, `${line}\nx\n`)).toBe(`${line}\nx\n`);
    expect(shownOf(SHAPES_ONLY, `${line}z\nx\n`)).toBe(`${LEFT_OUT}x\n`);
  });

  it('takes a key that begins in it along, to its END', () => {
    const rows = `${'MIIEpAIBAAKCAQEA'.repeat(4)}\n`.repeat(20);
    const text = `${long}-----BEGIN PRIVATE KEY-----\n${rows}-----END PRIVATE KEY-----\nafter\n`;
    for (const sizes of [[], [long.length + 14], [long.length + 14, 200, 1_000], [long.length + 1_340]]) {
      const shown = shownAfter(SHAPES_ONLY, inPieces(text, sizes)).at(-1);
      expect(shown).toBe(`${'word '.repeat(20)}${LEFT_OUT}after\n`);
    }
  });

  it('is what a key is that has no END within it', () => {
    const begins = `-----BEGIN PRIVATE KEY-----\n${'not a key, '.repeat(2_000)}\n`.repeat(6);
    const shown = shownAfter(SHAPES_ONLY, inPieces(`a\n${begins}-----END PRIVATE KEY-----\nb\n`, [50_000, 50_000])).at(
      -1,
    );

    expect(shown).toBe(`a\n${LEFT_OUT}b\n`);
  });
});

describe('its cost', () => {
  it.each([
    'a',
    'word and word ',
    'a\n',
    '-----BEGIN PRIVATE KEY-----\n',
    '-----BEGIN PRIVATE KEY-----',
    'ghp_',
    '_TOKEN=',
  ])('grows with the length of many times %j', (piece) => {
    expectLinearCost(10 * 1024 * 1024, (length) => {
      shownOf(SHAPES_ONLY, piece.repeat(Math.ceil(length / piece.length)));
    });
  });
});
