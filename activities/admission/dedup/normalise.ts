/**
 * What two task texts are compared by: letters and digits alone, in one case. Marks, order of markup and spelling of a character make no difference;
 * what differs in signs only (`C++`, `C#`) is equal here, and kept apart by the guards. Source: S-08.
 */

/** In UTF-16 units. A description has at most 4096 bytes (S-04), and NFKC makes at most 6 units of a byte (U+FDFA: 18 of 3): no description is cut. */
export const MAX_NORMALISED_UNITS = 32_768;

const BETWEEN_WORDS = /[^\p{L}\p{Nd}]+/gu;
const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/;

/**
 * The normalised text: NFKC, lower case, runs of what is no letter and no digit to one space, trimmed.
 * Shape: words with single spaces between; empty where nothing but marks was said. Cut to MAX_NORMALISED_UNITS only here, since NFKC makes 1.4 million
 * characters of 80 000. Source: S-08.
 */
export function normalise(text: string): string {
  const whole = text.normalize('NFKC').toLowerCase().replace(BETWEEN_WORDS, ' ').trim();
  if (whole.length <= MAX_NORMALISED_UNITS) return whole;
  return whole.slice(0, MAX_NORMALISED_UNITS).replace(HIGH_SURROGATE_AT_END, '').trimEnd();
}
