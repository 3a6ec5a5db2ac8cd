/** Secrets of every kind that the redactor knows, drawn at random, and what may stand around them. */
import { expect } from '@jest/globals';
import fc from 'fast-check';

export interface Secret {
  readonly kind: string;
  readonly text: string;
  /** The part that must not be told. */
  readonly body: string;
}

export const letters = (count: number) => fc.stringMatching(new RegExp(`^[A-Za-z0-9]{${count}}$`));
const capitals = fc.stringMatching(/^[A-Z0-9]{16}$/);

function secret(kind: string, body: fc.Arbitrary<string>, before: string): fc.Arbitrary<Secret> {
  return body.map((drawn) => ({ kind, text: before + drawn, body: drawn }));
}

const TOKENS = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'].map((before) =>
    secret('github-token', letters(36), before),
  ),
  secret('gitlab-token', letters(20), 'glpat-'),
  secret('anthropic-key', letters(40), 'sk-ant-api03-'),
  ...['sk-', 'sk-proj-', 'sk-admin-'].map((before) => secret('openai-key', letters(48), before)),
  ...['AKIA', 'ASIA'].map((before) => secret('aws-key', capitals, before)),
  secret('google-key', letters(35), 'AIza'),
  ...['xoxb-', 'xoxp-', 'xapp-'].map((before) => secret('slack-token', letters(24), before)),
  secret('npm-token', letters(36), 'npm_'),
  secret('pypi-token', letters(40), 'pypi-'),
  ...['sk_live_', 'rk_test_'].map((before) => secret('stripe-key', letters(24), before)),
  fc.tuple(letters(20), letters(40), letters(40)).map(([head, payload, sign]) => ({
    kind: 'jwt',
    text: `eyJ${head}.${payload}.${sign}`,
    body: payload + sign,
  })),
];

const NAMED = [
  secret('assignment', letters(16), 'MY_TOKEN='),
  secret('assignment', letters(16), 'export DB_PASSWORD='),
  secret('aws-secret', letters(40), 'aws_secret_access_key = '),
  secret('authorization', letters(24), 'Authorization: Bearer '),
  letters(16).map((body) => ({ kind: 'url-password', text: `postgres://me:${body}@db/x`, body })),
  letters(24).map((body) => ({ kind: 'slack-webhook', text: `https://hooks.slack.com/services/T0/B0/${body}`, body })),
  fc.array(letters(64), { minLength: 1, maxLength: 30 }).map((lines) => ({
    kind: 'private-key',
    text: `-----BEGIN EC PRIVATE KEY-----\n${lines.join('\n')}\n-----END EC PRIVATE KEY-----`,
    body: lines.join('\n'),
  })),
];

export const token = fc.oneof(...TOKENS);
export const anySecret = fc.oneof(...TOKENS, ...NAMED);

/** What may stand beside a secret: nothing that is a part of a word. */
export const edge = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\r\n',
  '"',
  "'",
  '`',
  '(',
  ')',
  '<',
  '>',
  '{',
  '}',
  ';',
  ',',
  '=',
  '|',
  '\t',
  '…',
  'é ',
  '🚀',
);
export const noise = fc
  .oneof(fc.lorem(), fc.string({ maxLength: 30 }), fc.constant(''))
  .map((text) => text.replace(/^\w+|[\w\\-]+$/g, ' '));

/** Twelve characters of it in a row are enough to find the rest of it, or to see that it leaked. */
export function expectGone(out: string, { body, kind }: Secret): void {
  const left = Array.from({ length: Math.max(1, body.length - 11) }, (_, at) => body.slice(at, at + 12)).filter(
    (part) => out.includes(part),
  );
  expect({ kind, left }).toEqual({ kind, left: [] });
}
