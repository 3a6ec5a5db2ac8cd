import { describe, expect, it } from '@jest/globals';
import type { TurnOutcome } from '../../../protocol/run/outcomes.js';
import { decideAfterTry, type RetryRules, type Tries } from '../../../workflows/turns/turn-retry.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const HOUR_MS = 3_600_000;
const RULES: RetryRules = {
  usageLimit: { action: 'wait', maxWaitMs: 24 * HOUR_MS, maxWaits: 2 },
  usageWaits: 0,
  fallbackAgent: null,
  larger: false,
  now: NOW,
  jitter: 0.5,
};
const fresh = (part: Partial<Tries> = {}): Tries => ({
  rateLimited: 0,
  transient: 0,
  timeouts: 0,
  fresh: false,
  overflow: null,
  fallback: null,
  ...part,
});
const limited = (afterMs: number | null = null): TurnOutcome => ({ kind: 'rate_limited', why: '429', afterMs });
const usage = (until: string | null): TurnOutcome => ({ kind: 'usage_limit', why: 'limit', until });

describe('what follows a failed attempt', () => {
  it('waits 2 to 120 s, doubling, for a rate limit, five times', () => {
    const waits = [0, 1, 2, 3, 4, 5].map((rateLimited) => decideAfterTry(limited(), fresh({ rateLimited }), RULES));

    expect(waits.map((wait) => (wait.kind === 'wait' ? wait.ms : wait.kind))).toEqual([
      2000,
      4000,
      8000,
      16_000,
      32_000,
      'settled',
    ]);
  });

  it('waits 1 to 60 s, doubling, for a transient failure, four times', () => {
    const waits = [0, 1, 2, 3, 4].map((transient) =>
      decideAfterTry({ kind: 'transient', why: 'net' }, fresh({ transient }), RULES),
    );

    expect(waits.map((wait) => (wait.kind === 'wait' ? wait.ms : wait.kind))).toEqual([
      1000,
      2000,
      4000,
      8000,
      'settled',
    ]);
  });

  it.each([
    [0, 1600],
    [1, 2400],
  ])('spreads a wait by 20 %% (jitter %d)', (jitter, ms) => {
    expect(decideAfterTry(limited(), fresh(), { ...RULES, jitter })).toMatchObject({ ms });
  });

  it("honours the server's own wait, up to the longest that the policy allows", () => {
    expect(decideAfterTry(limited(90_000), fresh(), RULES)).toMatchObject({ ms: 90_000 });
    expect(decideAfterTry(limited(500), fresh(), RULES)).toMatchObject({ ms: 2000 });
    expect(decideAfterTry(limited(99 * HOUR_MS), fresh(), RULES)).toMatchObject({ ms: 24 * HOUR_MS });
  });

  it('takes a turn that timed out once more, and a hard one never', () => {
    const timeout: TurnOutcome = { kind: 'timeout', why: 'late' };
    expect(decideAfterTry(timeout, fresh(), RULES)).toEqual({ kind: 'again', retry: 1 });
    expect(decideAfterTry(timeout, fresh({ timeouts: 1 }), RULES)).toEqual({ kind: 'settled' });
    expect(decideAfterTry({ kind: 'hard', why: 'exit 1' }, fresh(), RULES)).toEqual({ kind: 'settled' });
  });

  it('takes a turn at once again with a new conversation, once, whoever works', () => {
    const lost: TurnOutcome = { kind: 'transient', why: 'gone', fresh: true };
    expect(decideAfterTry(lost, fresh(), RULES)).toEqual({ kind: 'fresh' });
    expect(decideAfterTry(lost, fresh({ transient: 4, fallback: 'other' }), RULES)).toEqual({ kind: 'fresh' });
    expect(decideAfterTry(lost, fresh({ fresh: true }), RULES)).toMatchObject({ kind: 'wait', waiting: 'transient' });
  });

  it('takes a turn that was too long once more with a shorter context, then with a larger model where there is one, and no more', () => {
    const overflow: TurnOutcome = { kind: 'overflow', why: 'too long' };
    const larger = { ...RULES, larger: true };
    const [shorter, extended] = [
      fresh({ overflow: 'shorter', fresh: true }),
      fresh({ overflow: 'extended', fresh: true }),
    ];

    expect(decideAfterTry(overflow, fresh(), RULES)).toEqual({ kind: 'overflow', with: 'shorter', retry: 1 });
    expect(decideAfterTry(overflow, shorter, RULES)).toEqual({ kind: 'settled' });
    expect(decideAfterTry(overflow, shorter, larger)).toEqual({ kind: 'overflow', with: 'extended', retry: 2 });
    expect(decideAfterTry(overflow, extended, larger)).toEqual({ kind: 'settled' });
    expect(decideAfterTry(overflow, fresh({ fallback: 'other' }), larger)).toEqual({ kind: 'settled' });
    expect(decideAfterTry(overflow, shorter, { ...RULES, fallbackAgent: 'other' })).toEqual({ kind: 'settled' });
  });

  it('gives up a conversation that is too long before it shortens a context', () => {
    expect(
      decideAfterTry({ kind: 'transient', why: 'too long', fresh: true }, fresh(), { ...RULES, larger: true }),
    ).toEqual({
      kind: 'fresh',
    });
  });

  it('calls the fallback agent once, when the retries are used up', () => {
    const rules = { ...RULES, fallbackAgent: 'other' };
    expect(decideAfterTry({ kind: 'hard', why: 'exit 1' }, fresh(), rules)).toEqual({
      kind: 'fallback',
      agent: 'other',
    });
    expect(decideAfterTry(limited(), fresh(), rules).kind).toBe('wait');
    expect(decideAfterTry(limited(), fresh({ rateLimited: 5 }), rules)).toEqual({ kind: 'fallback', agent: 'other' });
    expect(decideAfterTry(limited(), fresh({ fallback: 'other' }), rules)).toEqual({ kind: 'settled' });
  });

  it('sleeps to the reset of a usage limit, and an hour where nobody knows it', () => {
    expect(decideAfterTry(usage('2026-11-21T13:30:00Z'), fresh(), RULES)).toMatchObject({
      waiting: 'usage_limit',
      ms: 3.5 * HOUR_MS,
    });
    expect(decideAfterTry(usage('2026-11-21T09:00:00Z'), fresh(), RULES)).toMatchObject({ ms: 0 });
    expect(decideAfterTry(usage(null), fresh(), RULES)).toMatchObject({ ms: HOUR_MS });
  });

  it.each([
    ['the wait is longer than allowed', '2026-11-23T10:00:00Z', {}],
    ['the run waited as often as allowed', '2026-11-21T11:00:00Z', { usageWaits: 2 }],
    ['the policy says stop', '2026-11-21T11:00:00Z', { usageLimit: { ...RULES.usageLimit, action: 'stop' as const } }],
  ])('ends at a usage limit when %s', (_name, until, part) => {
    expect(decideAfterTry(usage(until), fresh(), { ...RULES, ...part })).toEqual({ kind: 'settled' });
  });

  it('prefers the fallback agent to a wait only where the policy says so', () => {
    const rules: RetryRules = { ...RULES, fallbackAgent: 'other' };
    expect(decideAfterTry(usage(null), fresh(), rules).kind).toBe('wait');
    expect(
      decideAfterTry(usage(null), fresh(), { ...rules, usageLimit: { ...RULES.usageLimit, action: 'fallback' } }).kind,
    ).toBe('fallback');
  });

  it.each(['done', 'no_change'] as const)('lets %s stand', (kind) => {
    expect(decideAfterTry({ kind }, fresh(), RULES)).toEqual({ kind: 'settled' });
  });
});
