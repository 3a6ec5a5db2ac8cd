/** Secrets of every kind, planted anywhere: none comes through, whole or in part, and nothing else changes. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json } from '../../../protocol/text/json.js';
import { createRedactor, redact, redactJson } from '../../../protocol/text/redact.js';
import { anySecret, edge, expectGone, letters, noise, token } from '../../support/planted-secrets.js';

describe('a planted secret', () => {
  it('does not come through, whatever stands before and behind it', () => {
    fc.assert(
      fc.property(anySecret, noise, edge, edge, noise, (planted, before, left, right, after) => {
        const out = redact(`${before}${left}${planted.text}${right}${after}`);

        expectGone(out, planted);
      }),
      { numRuns: 250 },
    );
  });

  it('does not come through as a value or a name, at any depth of a JSON value, as data and as text', () => {
    fc.assert(
      fc.property(
        anySecret,
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(fc.nat(9), { maxLength: 5 }),
        (planted, rest, path) => {
          const value = nested(planted.text, rest as Json, path);

          const asData = redactJson(value);
          expectGone(strings(asData), planted);
          expectGone(redact(JSON.stringify(value)), planted);
          expect(redactJson(asData)).toEqual(asData);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does not come through twice in a row, nor with another one at its end, without anything between', () => {
    fc.assert(
      fc.property(token, token, fc.constantFrom('', '-', '_', '.', ' ', '\n', '"'), (one, two, between) => {
        const out = redact(`${one.text}${between}${one.text}${between}${two.text}`);

        expectGone(out, one);
        expectGone(out, two);
      }),
      { numRuns: 250 },
    );
  });

  it.each([
    ['ghp_', 'a1B2'.repeat(9)],
    ['sk-', 'a1B2'.repeat(12)],
    ['AKIA', 'A1B2'.repeat(4)],
    ['npm_', 'a1B2'.repeat(9)],
    ['sk_live_', 'a1B2'.repeat(6)],
    ['AIza', `${'a1B2'.repeat(8)}a1B`],
  ])('does not come through where %s stands twice without a gap', (before, body) => {
    expect(redact(`x ${before}${body}${before}${body} y`)).toMatch(/^x \[redacted:[a-z-]+\] y$/);
  });

  it('does not come through inside another one', () => {
    const around = fc.constantFrom(
      (text: string) => `MY_TOKEN=${text}`,
      (text: string) => `"api_key": "${text}"`,
      (text: string) => `Authorization: Bearer ${text}`,
      (text: string) => `https://me:${text}@host/x`,
      (text: string) => `https://${text}@host/x`,
      (text: string) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`,
      (text: string) => `-----BEGIN PRIVATE KEY-----\n${text}`,
      (text: string) => `curl -H 'Authorization: token ${text}' https://x/?access_token=${text}`,
    );
    fc.assert(
      fc.property(token, fc.array(around, { minLength: 1, maxLength: 3 }), (planted, layers) => {
        expectGone(redact(layers.reduce((text, layer) => layer(text), planted.text)), planted);
      }),
      { numRuns: 150 },
    );
  });

  it('does not come through a stream, wherever the pieces are cut and however long the line is', () => {
    fc.assert(
      fc.property(
        anySecret,
        fc.nat(70_000),
        fc.nat(70_000),
        fc.array(fc.integer({ min: 1, max: 80_000 }), { maxLength: 6 }),
        (...drawn) => {
          const [planted, before, after, sizes] = drawn;
          const text = `${'x '.repeat(before / 2)}\t${planted.text}\t${'y '.repeat(after / 2)}`;

          expectGone(inPieces(text, sizes), planted);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the value of a field that is called like a secret', () => {
  it.each([
    ['GITHUB_TOKEN', 'swordfish'],
    ['db_password', 'correct horse'],
    ['client_secret', 'hunter2hunter2'],
    ['Authorization', 'Bearer abcdefgh'],
    ['aws_secret_access_key', 'wJalrXUtnFEMIaK7MDENGabPxRfiCYEXAMPLEKEY'],
  ])('is found by the name %s in JSON data as it is in JSON text', (name, value) => {
    expect(JSON.stringify(redactJson({ env: { [name]: value } }))).not.toContain(value);
    expect(redactJson({ [name]: '$OTHER' })).toEqual({ [name]: '$OTHER' });
  });

  it('is as safe as data as it is as text', () => {
    const name = fc.oneof(
      fc.constantFrom('MY_TOKEN', 'a_secret', 'x_api_key', 'Proxy-Authorization', 'TOKEN', 'title'),
      fc.string(),
    );
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('Basic dXNlcjpwYXNz', 'swordfish', 'process.env.X', '$TOKEN', '<token>'),
      letters(40),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text)), (fields) => {
        const out = JSON.stringify(redactJson(Object.fromEntries(fields)));

        expect(redact(out)).toBe(out);
      }),
      { numRuns: 250 },
    );
  });
});

describe('a text without a secret', () => {
  const word = fc.constantFrom(
    'token',
    'secret',
    'key',
    'sk',
    'gh',
    'npm',
    'AKIA',
    'eyJ',
    'Bearer',
    'PASSWORD',
    'api_key',
    'https://x.y/z',
    '@',
  );
  const plain = fc.oneof(
    fc.lorem(),
    word,
    fc.uuid(),
    fc.stringMatching(/^[0-9a-f]{40}$/),
    fc.integer().map(String),
    fc.webUrl(),
  );

  it('is left as it is, and so is JSON data', () => {
    fc.assert(
      fc.property(fc.array(plain), fc.constantFrom(' ', '\n', ', ', ' / '), (pieces, between) => {
        const text = pieces.join(between);

        expect(redact(text)).toBe(text);
        expect(redactJson({ [text]: [text, { text }] })).toEqual({ [text]: [text, { text }] });
      }),
      { numRuns: 150 },
    );
  });
});

/** Around it a list, an object, or an object that it names, level by level. */
function nested(text: string, rest: Json, path: readonly number[]): Json {
  return path.reduce<Json>((inner, way, depth) => {
    if (depth === 0 && way > 6) return { [text]: rest };
    if (way < 3) return [rest, inner, 1];
    return { first: rest, [`${way}`]: inner };
  }, text);
}

function strings(value: Json): string {
  if (typeof value === 'string') return `${value}\n`;
  if (value === null || typeof value !== 'object') return '';
  return Object.entries(value)
    .map(([name, field]) => `${name}\n${strings(field)}`)
    .join('');
}

function inPieces(text: string, sizes: readonly number[]): string {
  const redactor = createRedactor();
  let out = '';
  let at = 0;
  for (const size of sizes) {
    out += redactor.push(text.slice(at, at + size));
    at += size;
  }
  return out + redactor.push(text.slice(at)) + redactor.end();
}
