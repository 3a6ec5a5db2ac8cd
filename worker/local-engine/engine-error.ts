/** What else is known of a failure of the local engine. */
import { fullDiskAt, systemTroubleIn } from '../../config/system/system-trouble.js';
import type { Refusal } from '../../protocol/text/refusal.js';

/** Adds what the machine has run out of, by what the log and the error say, or by a look at the disk where nothing could be logged any more. */
export function withTrouble(parts: Refusal, said: string, home: string): Refusal {
  const trouble = systemTroubleIn(said, home) ?? fullDiskAt(home);
  if (trouble === null) return parts;
  return { ...parts, what: `${parts.what} The reason: ${trouble.short}.`, mend: `${trouble.mend}  # then: sluice up` };
}

/** The short reason inside an unknown error, for the middle of a sentence. */
export function reasonOf(error: unknown): string {
  return hasString(error, 'message') ? error.message : String(error);
}

/** The system's code of an error (`ENOENT`, `EACCES`), or null. */
export function codeOf(error: unknown): string | null {
  return hasString(error, 'code') ? error.code : null;
}

/** By shape: an error from another realm is no `instanceof Error` here. */
function hasString<Key extends string>(value: unknown, key: Key): value is Record<Key, string> {
  return typeof value === 'object' && value !== null && key in value && typeof Reflect.get(value, key) === 'string';
}
