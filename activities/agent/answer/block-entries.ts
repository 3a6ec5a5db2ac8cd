/**
 * Reads the JSON list that an agent puts into a fenced block of its answer, and the texts in it. Whatever stands there is an answer, never an error:
 * what cannot be read is left out. The last block of a name counts, so that an agent can correct itself.
 */

import { isRecord, parseJson } from '../../../protocol/text/json.js';
import { redact } from '../../../protocol/text/redact.js';
import { readFences } from './code-fences.js';

export type Entry = Readonly<Record<string, unknown>>;

/** Unit: UTF-16 code units of one text. */
export const MAX_ENTRY_TEXT_CHARS = 2000;

const MAX_ID_CHARS = 60;

/** The objects of the list, at most `max`. A list inside an object under the block's name will do, and a bare text is an entry's `claim`. */
export function readEntries(text: string, name: string, max: number): readonly Entry[] {
  const block = readFences(text).blocks.findLast(({ info }) => info.includes(name));
  const value = parseJson(block?.content ?? null);
  const list = isRecord(value) ? value[name] : value;
  if (!Array.isArray(list)) return [];
  return list
    .map((entry: unknown) => (typeof entry === 'string' ? { claim: entry } : entry))
    .filter(isRecord)
    .slice(0, max);
}

/** One side of a key block whose other side stands in another text: it would redact all JSON between them. */
const KEY_MARK = /-----(?:BEGIN|END) [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g;

/** Redacted before it is cut: half a token has no shape. Null for what is blank, no text or number, or still the placeholder of the template. */
export function textOf(value: unknown): string | null {
  const text = (typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '').trim();
  if (text === '' || /^<[^<>]*>$/.test(text)) return null;
  return cut(redact(text).replace(KEY_MARK, '[redacted:private-key]'), MAX_ENTRY_TEXT_CHARS);
}

/** An id stands in headings and lists: one short line. */
export function idOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null ? null : cut(text.replace(/[\s\p{C}]+/gu, ' ').trim(), MAX_ID_CHARS) || null;
}

/** Never half a character. */
export function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
