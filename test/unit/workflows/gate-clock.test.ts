import { describe, expect, it } from '@jest/globals';
import { type GateTimes, NOT_RUNG, nextRing } from '../../../workflows/gates/gate-clock.js';

const OPENED = Date.parse('2026-11-21T10:00:00.000Z');
const MINUTE = 60_000;
const gate = (expiresAfter: number | null) => ({
  createdAt: new Date(OPENED).toISOString(),
  expiresAt: expiresAfter === null ? null : new Date(OPENED + expiresAfter).toISOString(),
});

/** Kind and minute of each ring, at most 50, until the gate expires or rings no more; `late`: how late the ring of that number is heard. Unit: minutes. */
function rings(times: Partial<GateTimes>, expiresAfter: number | null, late: readonly number[] = []) {
  const heard: [string, number][] = [];
  let rung = NOT_RUNG;
  for (;;) {
    const next = nextRing({ remindMs: null, escalateMs: null, ...times }, gate(expiresAfter), rung);
    if (next === null || heard.length === 50) return heard;
    const now = next.at + (late[heard.length] ?? 0) * MINUTE;
    heard.push([next.kind, (now - OPENED) / MINUTE]);
    if (next.kind === 'expire') return heard;
    rung = next.after(now);
  }
}

describe('the clock of an open gate', () => {
  it('never rings where the policy names no time', () => {
    expect(rings({}, null)).toEqual([]);
  });

  it('reminds again and again, escalates once, and expires, in their order', () => {
    expect(rings({ remindMs: 2 * MINUTE, escalateMs: 3 * MINUTE }, 7 * MINUTE)).toEqual([
      ['remind', 2],
      ['escalate', 3],
      ['remind', 4],
      ['remind', 6],
      ['expire', 7],
    ]);
  });

  it('reminds ten times and no more', () => {
    const all = rings({ remindMs: MINUTE }, null);

    expect(all).toEqual(Array.from({ length: 10 }, (_none, n) => ['remind', n + 1]));
  });

  it('tells once what it missed while nobody worked, and goes on at its own times', () => {
    expect(rings({ remindMs: 2 * MINUTE }, 13 * MINUTE, [0, 5])).toEqual([
      ['remind', 2],
      ['remind', 9],
      ['remind', 10],
      ['remind', 12],
      ['expire', 13],
    ]);
  });

  it('expires before it says anything else of the same moment', () => {
    expect(rings({ remindMs: MINUTE, escalateMs: MINUTE }, MINUTE)).toEqual([['expire', 1]]);
  });
});
