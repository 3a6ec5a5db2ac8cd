import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRedactor, redact, redactJson } from '../../../protocol/text/redact.js';
import { expectLinearCost } from '../../support/linear-cost.js';

const LETTERS = 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF3hJ5lM7nP9rS1tV';
const KEY = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n-----END RSA PRIVATE KEY-----`;

const SECRETS: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map(
    (prefix) => ['github-token', prefix + LETTERS.slice(0, 36), LETTERS.slice(0, 36)] as const,
  ),
  ['github-token', `github_pat_11ABC_${LETTERS}`, LETTERS],
  ['gitlab-token', `glpat-${LETTERS.slice(0, 20)}`, LETTERS.slice(0, 20)],
  ['openai-key', `sk-${LETTERS}`, LETTERS],
  ['openai-key', `sk-proj-${LETTERS}`, LETTERS],
  ['anthropic-key', `sk-ant-api03-${LETTERS}`, LETTERS],
  ['aws-key', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
  ['aws-key', 'ASIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
  ['aws-secret', 'aws_secret_access_key = wJalrXUtnFEMIaK7MDENGabPxRfiCYEXAMPLEKEY', 'wJalrXUtn'],
  ['google-key', `AIza${LETTERS.slice(0, 35)}`, LETTERS.slice(0, 35)],
  ['slack-token', 'xoxb-123456789012-abcdefABCDEF', 'abcdefABCDEF'],
  ['slack-webhook', 'https://hooks.slack.com/services/T00000000/B00000000/XXXXyyyyZZZZ0000', 'XXXXyyyy'],
  ['npm-token', `npm_${LETTERS.slice(0, 36)}`, LETTERS.slice(0, 36)],
  ['pypi-token', `pypi-AgEIcHlwaS5vcmc${LETTERS}`, LETTERS],
  ['stripe-key', `sk_live_${LETTERS.slice(0, 24)}`, LETTERS.slice(0, 24)],
  ['stripe-key', `rk_live_${LETTERS.slice(0, 24)}`, LETTERS.slice(0, 24)],
  ['jwt', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', 'dozjgNry'],
  ['private-key', KEY, 'ygWyF8Pbn'],
  ['private-key', KEY.slice(0, -34), 'MIIEpAIB'],
  ['authorization', 'Authorization: Bearer abc.def-ghi', 'abc.def-ghi'],
  ['authorization', 'authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['url-password', 'postgres://user:hunter2@db/x', 'hunter2'],
  ['assignment', 'TEMPORAL_API_KEY=abcdef123456', 'abcdef123456'],
  ['assignment', 'MY_TOKEN="swordfish"', 'swordfish'],
  ['assignment', 'export DB_PASSWORD=correct-horse', 'correct-horse'],
  ['assignment', 'client_secret: 9f8e7d6c5b4a', '9f8e7d6c5b4a'],
];

describe('redact', () => {
  it.each(SECRETS)('replaces a secret of kind %s by a marker: %s', (kind, text, secret) => {
    const result = redact(`before ${text} after\n`);

    expect(result).toContain(`[redacted:${kind}]`);
    expect(result).not.toContain(secret);
    expect(result).toMatch(/^before .* after\n$/s);
  });

  it.each(SECRETS)('finds a secret of kind %s inside JSON text and leaves it JSON: %s', (_kind, text, secret) => {
    const result = redact(JSON.stringify({ text: `first\n${text}`, rest: 1 }));

    expect(result).not.toContain(secret);
    expect(JSON.parse(result)).toMatchObject({ rest: 1 });
  });

  it.each([
    ['DB_PASSWORD=New-York-2024!', 'New-York'],
    ['DEPLOY_TOKEN=secrets-9f8e7d6c5b', '9f8e7d6c5b'],
    ['API_SECRET="config.8f3a2b"', '8f3a2b'],
    ['export API_KEY=true-9f8e7d6c5b', '9f8e7d6c5b'],
  ])('takes no password that begins with a word of a language for source code: %s', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
  });

  it.each([
    'const API_TOKEN = process.env.API_TOKEN;',
    'const API_TOKEN=process.env.API_TOKEN1;',
    'API_TOKEN=os.environ["API_TOKEN1"]',
    "API_TOKEN = env['API_TOKEN1']",
    'this.API_TOKEN=undefined;',
    'X_TOKEN=await nextToken1()',
    'X_TOKEN=new Token1()',
    'f(X_TOKEN=null, 1)',
    'API_TOKEN: string',
    'X_TOKEN=$OTHER',
    'Authorization: Bearer $TOKEN',
    'https://user:${PASSWORD}@host/',
    'max_tokens=4096 and task-force-of-the-whole-wide-world',
    'see http://localhost:3000/@scope/package',
    'commit 97a90a4c1de5c6f0d1e2f3a4b5c6d7e8f9a0b1c2',
  ])('leaves text without a secret alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('is idempotent', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom(...SECRETS.map(([, text]) => text)));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = redact(pieces.join(' '));
        expect(redact(once)).toBe(once);
      }),
    );
  });

  it.each([
    'a',
    'eyJ',
    'eyJaaaaaaaa.',
    '_TOKEN=',
    'github_pat_',
    '://a:',
    '-----BEGIN PRIVATE KEY-----',
    'authorization: bearer ',
  ])('takes 10 MB of %j at a cost that grows with the length', (piece) => {
    expectLinearCost(10 * 1024 * 1024, (length) => redact(piece.repeat(Math.ceil(length / piece.length))));
  });

  it('redacts the strings of a JSON value and keeps its shape', () => {
    expect(redactJson({ a: [`ghp_${LETTERS}`, 1, null], b: { c: true } })).toEqual({
      a: ['[redacted:github-token]', 1, null],
      b: { c: true },
    });
  });
});

describe('createRedactor', () => {
  it('gives the same for a text in pieces as for the whole, wherever it is cut', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('\n', ' ', ...SECRETS.map(([, text]) => text)));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(400), { maxLength: 10 }), (pieces, sizes) => {
        const text = pieces.join('\n');
        expect(inPieces(text, sizes)).toBe(redact(text));
      }),
    );
  });

  it('finds a token that lies across a forced cut of a line without an end', () => {
    for (let shift = 0; shift < 60; shift += 1) {
      const text = `${'x '.repeat(28 * 1024)}${'y'.repeat(shift)} ghp_${LETTERS} ${'z '.repeat(4 * 1024)}${'w '.repeat(20 * 1024)}`;
      expect(inPieces(text, [64 * 1024 + 10]).includes(LETTERS)).toBe(false);
    }
  });

  it('holds at most a bounded piece of a flood without a newline', () => {
    const redactor = createRedactor();
    let given = 0;
    for (let n = 0; n < 100; n += 1) given += redactor.push('x'.repeat(64 * 1024)).length;

    expect(given).toBeGreaterThan(98 * 64 * 1024);
  });
});

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
