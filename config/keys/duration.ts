/**
 * Durations as people write them: whole numbers with units, largest first (`15m`, `1h30m`, `200ms`).
 * A bare number is refused: its unit would be a guess.
 */

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const DURATION = /^(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/** **Unit** answers milliseconds, or null if the text is no duration. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null || text === '') return null;
  let total = 0;
  for (const [index, [, ms]] of UNITS.entries()) total += Number(match[index + 1] ?? 0) * ms;
  return Number.isSafeInteger(total) ? total : null;
}

/** The shortest text that `parseDuration` reads as the same time. **Unit** whole milliseconds from 0. */
export function formatDuration(durationMs: number): string {
  let rest = durationMs;
  let text = '';
  for (const [unit, ms] of UNITS) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}
