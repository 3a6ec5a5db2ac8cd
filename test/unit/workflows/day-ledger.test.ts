/** The table of a day's budget: what is granted, refused, counted and forgotten, under any order of messages. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ReserveRequest } from '../../../protocol/actors/day-budget.js';
import {
  type DayLedger,
  emptyLedger,
  onDay,
  release,
  reserve,
  settle,
  viewOf,
} from '../../../workflows/budget/day-ledger.js';

const NOON = Date.parse('2026-11-21T12:00:00.000Z');
const TODAY = '2026-11-21';
const TOMORROW = Date.parse('2026-11-22T00:00:00.000Z');
const LIMITS = { turns: null, minutes: null, microUsd: null, tokens: null };

function ask(token: string, part: Partial<ReserveRequest> = {}): ReserveRequest {
  return { token, workflowId: `run-${token}`, executionRunId: 'e', limits: LIMITS, grant: null, ...part };
}

/** Each is reserved and settled, one after the other. */
function used(
  ...turns: readonly {
    readonly durationMs: number;
    readonly costMicroUsd: number | null;
    readonly tokens: number | null;
  }[]
): DayLedger {
  return turns.reduce((ledger, usage, index) => {
    const token = `before-${index}`;
    return settle(reserve(ledger, ask(token), NOON).ledger, { token, day: TODAY, usage }, NOON);
  }, emptyLedger(NOON));
}

const MINUTE = { durationMs: 60_000, costMicroUsd: 500_000, tokens: null };

describe("a day's budget", () => {
  it('gives the last turn to one of two that ask for it', () => {
    const limits = { ...LIMITS, turns: 2 };
    const first = reserve(used(MINUTE), ask('a', { limits }), NOON);
    const second = reserve(first.ledger, ask('b', { limits }), NOON);

    expect(first.answer).toEqual({ kind: 'granted', token: 'a', day: TODAY });
    expect(second.answer).toEqual({
      kind: 'full',
      token: 'b',
      day: TODAY,
      limit: 'turns',
      used: 2,
      allowed: 2,
      underWay: 1,
      resetsAt: '2026-11-22T00:00:00.000Z',
    });
    expect(second.ledger.reservations).toHaveLength(1);
  });

  it('answers a repeated request alike and reserves once', () => {
    const limits = { ...LIMITS, turns: 1 };
    const once = reserve(emptyLedger(NOON), ask('a', { limits }), NOON);
    const again = reserve(once.ledger, ask('a', { limits }), NOON);

    expect(again.answer).toEqual(once.answer);
    expect(again.ledger.reservations).toHaveLength(1);
    const settled = settle(again.ledger, { token: 'a', day: TODAY, usage: null }, NOON);
    expect(reserve(settled, ask('a', { limits }), NOON).answer.kind).toBe('granted');
  });

  it('counts a settlement that comes twice once', () => {
    const held = reserve(emptyLedger(NOON), ask('a'), NOON).ledger;
    const settlement = { token: 'a', day: TODAY, usage: MINUTE };
    const twice = settle(settle(held, settlement, NOON), settlement, NOON);

    expect(viewOf(twice, 'p', NOON)).toMatchObject({
      settled: { turns: 1, ms: 60_000, microUsd: 500_000, tokens: 0 },
      reserved: { turns: 0 },
    });
  });

  it('counts what was used, also where the reservation is gone', () => {
    const released = release(reserve(emptyLedger(NOON), ask('a'), NOON).ledger, 'a');

    expect(settle(released, { token: 'a', day: TODAY, usage: MINUTE }, NOON).settled).toEqual({
      turns: 1,
      ms: 60_000,
      microUsd: 500_000,
      tokens: 0,
    });
  });

  it('expects of a turn under way, and of one whose use nobody knows, what such turns used today', () => {
    const limits = { ...LIMITS, microUsd: 1_000_000 };
    const held = reserve(used(MINUTE), ask('a', { limits }), NOON);
    const refused = reserve(held.ledger, ask('b', { limits }), NOON);

    expect(held.answer.kind).toBe('granted');
    expect(refused.answer).toMatchObject({ kind: 'full', limit: 'usd', used: 1, allowed: 1 });
    expect(settle(held.ledger, { token: 'a', day: TODAY, usage: null }, NOON).settled).toEqual({
      turns: 2,
      ms: 120_000,
      microUsd: 1_000_000,
      tokens: 0,
    });
    const untold = settle(
      held.ledger,
      { token: 'a', day: TODAY, usage: { durationMs: 1, costMicroUsd: null, tokens: null } },
      NOON,
    );
    expect(untold.settled).toEqual({ turns: 2, ms: 60_001, microUsd: 1_000_000, tokens: 0 });
  });

  it('counts tokens, and expects of a turn under way what such turns read and wrote today', () => {
    const limits = { ...LIMITS, tokens: 1_000 };
    const before = used({ ...MINUTE, tokens: 500 });
    const held = reserve(before, ask('a', { limits }), NOON);
    const refused = reserve(held.ledger, ask('b', { limits }), NOON);

    expect(held.answer.kind).toBe('granted');
    expect(refused.answer).toMatchObject({ kind: 'full', limit: 'tokens', used: 1_000, allowed: 1_000 });
    expect(settle(held.ledger, { token: 'a', day: TODAY, usage: MINUTE }, NOON).settled.tokens).toBe(1_000);
    expect(viewOf(held.ledger, 'p', NOON).reserved.tokens).toBe(500);
  });

  it('lets a run go on whose earlier execution held the last turn', () => {
    const limits = { ...LIMITS, turns: 1 };
    const held = reserve(emptyLedger(NOON), ask('a', { limits, workflowId: 'run-1' }), NOON).ledger;

    const { ledger, answer } = reserve(
      held,
      ask('b', { limits, workflowId: 'run-1', executionRunId: 'after a reset' }),
      NOON,
    );

    expect(answer.kind).toBe('granted');
    expect(ledger.reservations.map(({ token }) => token)).toEqual(['b']);
  });

  it('counts two turns that one execution has under way', () => {
    const limits = { ...LIMITS, turns: 2 };
    const asked = (token: string) => ask(token, { limits, workflowId: 'item-1' });
    const first = reserve(emptyLedger(NOON), asked('classify'), NOON);
    const both = reserve(first.ledger, asked('plan'), NOON);
    const third = reserve(both.ledger, ask('other', { limits }), NOON);

    expect([first, both, third].map(({ answer }) => answer.kind)).toEqual(['granted', 'granted', 'full']);
    expect(both.ledger.reservations.map(({ token }) => token)).toEqual(['classify', 'plan']);
    expect(viewOf(settle(both.ledger, { token: 'plan', day: TODAY, usage: MINUTE }, NOON), 'p', NOON)).toMatchObject({
      settled: { turns: 1 },
      reserved: { turns: 1 },
    });
  });

  it('begins at 00:00 UTC with nothing used, and a turn that is still under way counts for its own day', () => {
    const limits = { ...LIMITS, turns: 1 };
    const held = reserve(used(MINUTE), ask('a'), NOON).ledger;

    expect(reserve(held, ask('b', { limits }), TOMORROW - 1).answer.kind).toBe('full');
    const { ledger, answer } = reserve(held, ask('b', { limits }), TOMORROW);
    expect(answer).toEqual({ kind: 'granted', token: 'b', day: '2026-11-22' });
    expect(settle(ledger, { token: 'a', day: TODAY, usage: MINUTE }, TOMORROW)).toEqual(ledger);
    expect(viewOf(held, 'p', TOMORROW)).toMatchObject({
      day: '2026-11-22',
      settled: { turns: 0 },
      reserved: { turns: 0 },
    });
    expect(onDay(ledger, NOON)).toBe(ledger);
  });

  it('grants the whole budget as often as one turn needs, once a word of a person, until the day ends', () => {
    const limits = { turns: 1, minutes: 0.1, microUsd: null, tokens: null };
    const before = used(MINUTE, MINUTE);
    const refused = reserve(before, ask('a', { limits }), NOON);
    const allowed = reserve(refused.ledger, ask('b', { limits, grant: 'g' }), NOON);
    const other = reserve(allowed.ledger, ask('c', { limits, grant: 'g' }), NOON);

    expect(refused.answer).toMatchObject({ kind: 'full', limit: 'turns', used: 2, allowed: 1 });
    expect(allowed).toMatchObject({ answer: { kind: 'granted' }, ledger: { grants: 20 } });
    expect(other.answer).toMatchObject({ kind: 'full', limit: 'minutes', allowed: 2.1 });
    expect(onDay(other.ledger, TOMORROW)).toMatchObject({ grants: 0, grantedBy: [] });
    const room = reserve(emptyLedger(NOON), ask('d', { limits, grant: 'g' }), NOON);
    expect(room.ledger.grants).toBe(0);
  });

  it('keeps turns within the limit and what is used between nothing and what was settled and reserved, in any order of messages', () => {
    const token = fc.integer({ min: 0, max: 11 }).map((n) => `t${n}`);
    const usage = fc.option(
      fc.record({
        durationMs: fc.nat(600_000),
        costMicroUsd: fc.option(fc.nat(2_000_000), { nil: null }),
        tokens: fc.option(fc.nat(9_000), { nil: null }),
      }),
      {
        nil: null,
      },
    );
    const message = fc.oneof(
      token.map((name) => ({ kind: 'reserve' as const, name })),
      fc.tuple(token, usage).map(([name, use]) => ({ kind: 'settle' as const, name, use })),
      token.map((name) => ({ kind: 'release' as const, name })),
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (messages, turns) => {
        let ledger = emptyLedger(NOON);
        const settled = new Map<string, number>();
        const granted = new Set<string>();
        for (const one of messages) {
          if (one.kind === 'reserve') {
            const reserved = reserve(ledger, ask(one.name, { limits: { ...LIMITS, turns } }), NOON);
            if (reserved.answer.kind === 'granted') granted.add(one.name);
            ledger = reserved.ledger;
          } else if (one.kind === 'release') ledger = release(ledger, one.name);
          // A run settles only what was granted to it.
          else if (granted.has(one.name)) {
            if (!settled.has(one.name)) settled.set(one.name, one.use?.durationMs ?? 0);
            ledger = settle(ledger, { token: one.name, day: TODAY, usage: one.use }, NOON);
          }
          const { settled: sum, reserved } = viewOf(ledger, 'p', NOON);
          const amounts = [...Object.values(sum), ...Object.values(reserved)];
          expect(amounts.every((amount) => amount >= 0 && Number.isInteger(amount))).toBe(true);
          expect(sum.turns).toBe(settled.size);
          // Given back and settled all the same: a turn more than was reserved. Else the limit holds.
          const late = [...settled.keys()].length + reserved.turns > turns;
          expect(!late || messages.some(({ kind }) => kind === 'release')).toBe(true);
        }
      }),
    );
  });
});
