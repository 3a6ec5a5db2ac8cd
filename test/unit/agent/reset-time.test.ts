/** Reset times as CLIs write them for people. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readResetTime } from '../../../activities/agent/outcome/reset-time.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const local = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

describe('a reset time in words', () => {
  it.each([
    ['Your limit will reset at 9am (America/Chicago).', '2026-11-21T15:01:00.000Z'],
    ['resets 11pm (UTC)', '2026-11-21T23:01:00.000Z'],
    ['resets 2:30 p.m. (UTC)', '2026-11-21T14:31:00.000Z'],
    ['resets 12am (Asia/Shanghai)', '2026-11-21T16:01:00.000Z'],
    ['resets Nov 24, 5pm (Europe/Berlin)', '2026-11-24T16:01:00.000Z'],
    ['resets Jan 3 at 5pm (UTC)', '2027-01-03T17:01:00.000Z'],
    ['resets Mar 8, 2027 3am (America/New_York)', '2027-03-08T08:01:00.000Z'],
    ['or try again at Nov 24th, 2026 3:05 PM.', local(2026, 10, 24, 15, 6)],
    ['Try again at Dec 31st, 2026 12:00 AM.', local(2026, 11, 31, 0, 1)],
    ['resets 3am (Etc/GMT+8)', '2026-11-21T11:01:00.000Z'],
    ['resets Oct 1, 2026 5pm (UTC)', '2026-10-01T17:01:00.000Z'],
  ])('is read: %s', (text, time) => {
    const said = readResetTime(text, NOW);

    expect(said === null ? null : new Date(said).toISOString()).toBe(time);
  });

  it('lasts to the end of the minute that is said, so that nobody comes too early', () => {
    expect(readResetTime('try again at 10:00 AM (UTC)', new Date('2026-11-21T10:00:20Z'))).toBe(
      Date.parse('2026-11-21T10:01:00Z'),
    );
  });

  it('that has just passed is a minute from now, since the clocks may disagree', () => {
    expect(readResetTime('try again at 9:58 AM (UTC)', NOW)).toBe(NOW.getTime() + 60_000);
  });

  it.each([
    ['a time of day that has passed, and is no wait until tomorrow', 'resets 9:30am (UTC)'],
    ['one of tomorrow that is more than half a day ahead', 'resets 2pm (Asia/Shanghai)'],
    ['an hour that no clock has', 'resets 13pm (UTC)'],
    ['a minute that no clock has', 'resets 1:75pm (UTC)'],
    ['a zone that nobody knows', 'resets 2pm (No/Where)'],
    ['a zone that is none', 'resets 2pm (somewhere else)'],
    ['a zone that is cut off', 'resets 2pm (Amer'],
    ['a month that nobody knows', 'resets Foo 3, 5pm (UTC)'],
    ['words', 'resets soon; try again later'],
    ['a count', 'try again at 3 files'],
  ])('is unknown: %s', (_what, text) => {
    expect(readResetTime(text, NOW)).toBeNull();
  });

  it('is a number or unknown for any text', () => {
    const anyText = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc
        .tuple(fc.nat(40), fc.nat(99), fc.string({ maxLength: 20 }))
        .map(([day, hour, zone]) => `resets Feb ${day}, ${hour}am (${zone})`),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const said = readResetTime(text, NOW);
        expect(said === null || Number.isFinite(said)).toBe(true);
      }),
    );
  });
});
