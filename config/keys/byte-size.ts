/** Byte sizes as people write them: a whole number and a unit (`200MB`, `64 KiB`); kB, MB and GB are powers of 1000. */

const UNITS: ReadonlyMap<string, number> = new Map([
  ['GiB', 1024 ** 3],
  ['GB', 1000 ** 3],
  ['MiB', 1024 ** 2],
  ['MB', 1000 ** 2],
  ['KiB', 1024],
  ['kB', 1000],
  ['B', 1],
]);

/** **Unit** answers bytes, or null if the text is no size. */
export function parseByteSize(text: string): number | null {
  const match = /^(\d{1,12}) ?([A-Za-z]{1,3})$/.exec(text);
  const factor = UNITS.get(match?.[2] ?? '');
  if (match === null || factor === undefined) return null;
  const bytes = Number(match[1]) * factor;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** A text that `parseByteSize` reads as the same size. **Unit** whole bytes from 0. */
export function formatByteSize(bytes: number): string {
  for (const [unit, factor] of UNITS) if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${unit}`;
  return `${bytes}B`;
}
