/** Who may use the page: a code is taken once and soon, a key is of one server's life. */
import { describe, expect, it } from '@jest/globals';
import { WebSession } from '../../../client/http/web-session.js';

describe('a code', () => {
  it('is traded for a key, once', () => {
    const session = new WebSession();
    const code = session.newCode();

    const key = session.tradeCode(code);

    expect(session.isKey(key ?? '')).toBe(true);
    expect(session.tradeCode(code)).toBeNull();
  });

  it('has 128 bits and is never the same', () => {
    const session = new WebSession();
    const codes = new Set(Array.from({ length: 100 }, () => session.newCode()));

    expect(codes.size).toBe(100);
    for (const code of codes) expect(Buffer.from(code, 'base64url')).toHaveLength(16);
  });

  it.each([
    [60_000, true],
    [60_001, false],
  ])('counts for a minute: %s ms after it was made', (ms, counts) => {
    let now = 5;
    const session = new WebSession(() => now);
    const code = session.newCode();

    now += ms;

    expect(session.tradeCode(code) !== null).toBe(counts);
  });

  it('is worth nothing once another was printed, nor is one that was guessed', () => {
    const session = new WebSession();
    const before = session.newCode();
    const now = session.newCode();

    expect([session.tradeCode(before), session.tradeCode(''), session.tradeCode(`${now}x`)]).toEqual([
      null,
      null,
      null,
    ]);
    expect(session.tradeCode(now)).not.toBeNull();
  });
});

describe('a key', () => {
  it('is none of another server, nor a code', () => {
    const before = new WebSession();
    const key = before.tradeCode(before.newCode()) ?? '';
    const session = new WebSession();
    const code = session.newCode();

    expect([session.isKey(key), session.isKey(code), session.isKey('')]).toEqual([false, false, false]);
  });

  it('stays good beside those of other browsers, as many as one person has', () => {
    const session = new WebSession();
    const keys = Array.from({ length: 65 }, () => session.tradeCode(session.newCode()) ?? '');

    expect(keys.map((key) => session.isKey(key))).toEqual([false, ...Array.from({ length: 64 }, () => true)]);
  });
});
