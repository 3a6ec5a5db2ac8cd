/** Durations and sizes: what is read, what is refused, and that formatting is the inverse of parsing. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatByteSize, parseByteSize } from '../../../config/keys/byte-size.js';
import { formatDuration, parseDuration } from '../../../config/keys/duration.js';

describe('parseDuration', () => {
  it.each([
    ['15m', 900_000],
    ['90s', 90_000],
    ['1h30m', 5_400_000],
    ['200ms', 200],
    ['1s200ms', 1200],
    ['1d', 86_400_000],
    ['0s', 0],
  ])('reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '15', '1.5h', '-1s', '5 m', '30m1h', '1m1m', '1H', 'm', '15m ', '99999999999d'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeNull();
    },
  );

  it('reads back whatever formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => parseDuration(formatDuration(ms)) === ms),
    );
  });

  it('answers null or a whole number from 0 for any text', () => {
    const texts = fc.oneof(fc.string(), fc.stringMatching(/^(?:\d{1,4}(?:d|h|m|s|ms)){0,4}$/));
    fc.assert(
      fc.property(texts, (text) => {
        const ms = parseDuration(text);
        return ms === null || (Number.isSafeInteger(ms) && ms >= 0);
      }),
    );
  });
});

describe('parseByteSize', () => {
  it.each([
    ['200MB', 200_000_000],
    ['200 MB', 200_000_000],
    ['64KiB', 65_536],
    ['1GiB', 1_073_741_824],
    ['5B', 5],
  ])('reads %s as %i bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each(['', '200', '1.5MB', 'MB', '1TB', '1mb', '-1B'])('refuses %j', (text) => {
    expect(parseByteSize(text)).toBeNull();
  });

  it('reads back whatever formatByteSize writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (bytes) => parseByteSize(formatByteSize(bytes)) === bytes),
    );
  });
});
