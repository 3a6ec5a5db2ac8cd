/**
 * Whether a campaign has all its points. One that no longer comes by would give fewer cells, and nobody would miss them. What no scenario passes for certain has none in `protocol/failpoints.ts`, with the
 * reason there. Pure.
 */

/** Errors: plain Error, with the names of those that came by in no course. */
export function assertReached(scenario: string, wanted: readonly string[], passed: readonly string[]): void {
  const missing = wanted.filter((name) => !passed.includes(name));
  if (missing.length > 0) throw new Error(`without any fault ${scenario} does not pass ${missing.join(', ')}`);
}
