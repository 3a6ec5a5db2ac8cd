/** Times as a file shows them: in UTC, since nobody knows where it is read. Pure. */

/** `2026-11-26 15:30:12 UTC`; a text that is no time stays as it is. */
export function utcTime(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  return `${new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;
}
