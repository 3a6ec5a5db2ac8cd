import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { closedUntil } from '../../../protocol/actors/quota.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const at = (ms: number) => new Date(NOW + ms).toISOString();

describe('until when a usage limit is believed to last', () => {
  it.each([
    ['a time that was told', at(3 * HOUR_MS), 0, 3 * HOUR_MS, null],
    ['the same after one refusal', at(3 * HOUR_MS), 1, 3 * HOUR_MS, null],
    ['no time', null, 0, HOUR_MS, 'did not say'],
    ['a time in words', '9am (America/Chicago)', 0, HOUR_MS, 'did not say'],
    ['a time that is past by a moment', at(-1), 0, 0, 'is past by this clock'],
    ['a time that is long past', '1999-01-01T00:00:00Z', 0, 0, 'is past by this clock'],
    ['a time in 40 days', at(40 * DAY_MS), 0, 7 * DAY_MS, 'more than 7 days ahead'],
    ['the end of time', '+275760-09-13T00:00:00.000Z', 0, 7 * DAY_MS, 'more than 7 days ahead'],
    ['a soon time after two refusals', at(1_000), 2, MINUTE_MS, 'met again 2 times'],
  ] as const)('%s', (_what, told, refusals, ms, note) => {
    const closed = closedUntil(told, NOW, refusals);

    expect(closed.at - NOW).toBe(ms);
    if (note === null) expect(closed.note).toBeNull();
    else expect(closed.note).toContain(note);
  });

  it('is asked again ever later where nobody says when: after 1, 2 and then every 4 hours', () => {
    expect([0, 1, 2, 3, 9].map((refusals) => (closedUntil(null, NOW, refusals).at - NOW) / HOUR_MS)).toEqual([
      1, 2, 4, 4, 4,
    ]);
  });

  it('is asked again ever later, up to an hour, where the times that are told prove wrong', () => {
    const past = [0, 1, 2, 3, 9].map((refusals) => (closedUntil(at(-1), NOW, refusals).at - NOW) / MINUTE_MS);
    const soon = [2, 3, 4, 10].map((refusals) => (closedUntil(at(1), NOW, refusals).at - NOW) / MINUTE_MS);

    expect(past).toEqual([0, 1, 2, 4, 60]);
    expect(soon).toEqual([1, 2, 4, 60]);
  });

  it('is never before now and never more than 7 days ahead, whatever is told', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
        ),
        fc.nat(1_000),
        (told, refusals) => {
          const { at: closed } = closedUntil(told, NOW, refusals);

          expect(closed).toBeGreaterThanOrEqual(NOW);
          expect(closed).toBeLessThanOrEqual(NOW + 7 * DAY_MS);
        },
      ),
    );
  });
});
