/**
 * Looks into an event that a CLI printed. Everything in it is untrusted: a field of another type, or one that is not the event's own, is absent.
 */
import { cutMiddle } from '../../../config/system/cut-middle.js';
import { isRecord } from '../../../protocol/text/json.js';
import { MAX_TEXT_BYTES } from '../outcome/read-plain-turn.js';

/** The value at the end of the path, or undefined. */
export function at(event: unknown, ...path: readonly string[]): unknown {
  let value: unknown = event;
  for (const key of path) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function textAt(event: unknown, ...path: readonly string[]): string | null {
  const value = at(event, ...path);
  return typeof value === 'string' ? value : null;
}

/** A finite number that is not below zero. */
export function amountAt(event: unknown, ...path: readonly string[]): number | null {
  const value = at(event, ...path);
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? value
    : null;
}

/** The same as a whole number: tokens and micro-dollars are counted. */
export function countAt(event: unknown, ...path: readonly string[]): number | null {
  const amount = amountAt(event, ...path);
  return amount === null ? null : Math.round(amount);
}

export function listAt(event: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = at(event, ...path);
  return Array.isArray(value) ? value : [];
}

/** US dollars as integer micro-dollars. */
export function microUsdAt(event: unknown, ...path: readonly string[]): number | null {
  const usd = amountAt(event, ...path);
  const micro = usd === null ? null : Math.round(usd * 1_000_000);
  return micro === null || micro > Number.MAX_SAFE_INTEGER ? null : micro;
}

/** The name that a CLI gave its conversation. It becomes an argument of a later turn, so it must not look like an option or a path. */
export function conversationIdAt(event: unknown, ...path: readonly string[]): string | null {
  const id = textAt(event, ...path);
  return id !== null && /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id) ? id : null;
}

/** The conversation that the events of a turn name. Events of two are of none that a later turn could go on with: one of them is somebody else's. */
export class ToldConversation {
  private readonly ids = new Set<string>();

  /** Null: it was not named. */
  get id(): string | null {
    const [first, second] = this.ids;
    return second === undefined ? (first ?? null) : null;
  }

  take(id: string | null): void {
    if (id !== null && this.ids.size < 2) this.ids.add(id);
  }
}

/** A text that is kept: of any length in the event, bounded here. */
export function boundText(text: string): string {
  return cutMiddle(text, MAX_TEXT_BYTES);
}
