/** Reads what anybody can send to a workflow, by hand and kindly: what cannot be read is null, and nothing throws. */

import { isRecord } from './json.js';

export type Fields = Readonly<Record<string, unknown>>;

/** The server takes no longer workflow id. */
const MAX_NAME_CHARS = 1_000;

/** None of what is no object. A list is what the worker makes of a payload that cannot be read. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** An id, a token, a day. */
export function nameIn(fields: Fields, field: string): string | null {
  const value = fields[field];
  return typeof value === 'string' && value !== '' && value.length <= MAX_NAME_CHARS ? value : null;
}

/** Names; what is none is left out. */
export function namesIn(fields: Fields, field: string): readonly string[] {
  const value = fields[field];
  const isName = (one: unknown) => typeof one === 'string' && one !== '' && one.length <= MAX_NAME_CHARS;
  return Array.isArray(value) ? value.filter((one): one is string => isName(one)).slice(0, MAX_NAMES) : [];
}

/** Of one list. */
const MAX_NAMES = 100;

/** What somebody says, trimmed. Null for what is missing, blank or invisible. */
export function textIn(fields: Fields, field: string): string | null {
  const value = fields[field];
  return typeof value === 'string' && value.replace(/[\s\p{C}]+/gu, '') !== '' ? value.trim() : null;
}

/** ISO 8601, as it was written. */
export function timeIn(fields: Fields, field: string): string | null {
  const value = nameIn(fields, field);
  return value === null || Number.isNaN(Date.parse(value)) ? null : value;
}

/** Neither negative nor endless. */
export function amountIn(fields: Fields, field: string): number | null {
  const value = fields[field];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** An amount that is counted, or a time: what can be added up without losing one. */
export function wholeIn(fields: Fields, field: string): number | null {
  const value = amountIn(fields, field);
  return Number.isSafeInteger(value) ? value : null;
}

/** One of the words that are known. */
export function wordIn<Word extends string>(fields: Fields, field: string, known: readonly Word[]): Word | null {
  return known.find((word) => word === fields[field]) ?? null;
}
