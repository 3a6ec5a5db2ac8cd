/** Texts out of an agent's answer: nobody vouches for them, so what steers a terminal or hides itself is taken out or made visible. Pure. It does not look for secrets. */
import { printable, printableLine } from '../text/printable.js';

/** Unit of `max`: UTF-16 code units, with the mark of a cut. Null for what is no text, or blank. */
export function readText(value: unknown, max: number): string | null {
  if (typeof value !== 'string' || isBlank(value)) return null;
  return cutText(printable(value.trim().slice(0, max * 2)).trim(), max);
}

/** The same on one line; not cut, so that the reader can refuse what is too long. */
export function readLine(value: unknown): string | null {
  if (typeof value !== 'string' || isBlank(value)) return null;
  return printableLine(value.replace(/\s+/g, ' ')).trim();
}

/** For a reason that quotes what an agent wrote; what is inside a list or an object is not shown, for it may be of any depth. */
export function quoteValue(value: unknown): string {
  if (value === undefined || value === null) return 'missing';
  if (typeof value === 'string') return printableLine(JSON.stringify(cutText(value, MAX_QUOTED_CHARS)));
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  return Array.isArray(value) ? 'a list' : 'an object';
}

const MAX_QUOTED_CHARS = 60;

/** Never half a character. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function isBlank(text: string): boolean {
  return text.replace(/[\s\p{C}]+/gu, '') === '';
}
