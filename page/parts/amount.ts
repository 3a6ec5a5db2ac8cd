/** Amounts in words. Pure. */

/** `$0.30`. */
export function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}
