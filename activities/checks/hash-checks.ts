/** Names what checks run, so that what they found counts for others who would run the same. */
import { createHash } from 'node:crypto';
import type { CheckSet, WorktreePolicy } from '../../protocol/run/policy.js';

/**
 * SHA-256 of the commands, of how the checkout is made ready for them, and of the limits that they kept. What a failure counts for is no part of it.
 * Shape: one array of a fixed order, each list in an array of its own, so that two different sets have no text in common.
 */
export function hashChecks({ commands, timeoutMs }: CheckSet, worktree: WorktreePolicy): string {
  const { setup, copy, link, setupInputs, setupTimeoutMs } = worktree;
  const text = JSON.stringify([commands, timeoutMs, setup, copy, link, setupInputs, setupTimeoutMs]);
  return createHash('sha256').update(text).digest('hex');
}
