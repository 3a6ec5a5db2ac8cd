/** Amounts in words. Pure. */
import { elapsed } from '../../client/views/waiting-text.js';

/** `$0.30`. */
export function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}

/** What not everybody told is unknown, and no zero. */
export function dollarsOr(microUsd: number | null): string {
  return microUsd === null ? 'unknown' : dollars(microUsd);
}

/** **Unit** ms. Whole seconds say nothing of what takes less. */
const SHORT_MS = 10_000;

/** `0.2 s`, `12:30`. */
export function lasting(ms: number): string {
  return ms < SHORT_MS ? `${(ms / 1_000).toFixed(1)} s` : elapsed(ms);
}
