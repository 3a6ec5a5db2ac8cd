/** `it` where the machine has what a test needs. Elsewhere the test is skipped and its reason printed, but never in CI: there it runs, and fails. */
import { it } from '@jest/globals';

export function itWhere(has: boolean, reason: string): typeof it {
  if (has || process.env['CI'] !== undefined) return it;
  process.stderr.write(`skipped: ${reason}\n`);
  // `it.skip` lacks only the members that make no sense for a skipped test.
  return it.skip as typeof it;
}
