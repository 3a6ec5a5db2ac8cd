/** Takes a pull request out of the forge's own queue, for a person who gives its landing up or holds it. Effects: one that is merged by then its host notes. */
import type { LeaveQueueInput, LeaveQueueResult } from '../../protocol/actors/forge.js';
import { atForge, type ForgeDeps } from './at-forge.js';
import { noteMerged } from './look-at-pull.js';
import { dequeue } from './merge-pull.js';

export function createLeaveQueue(deps: ForgeDeps): (input: LeaveQueueInput) => Promise<LeaveQueueResult> {
  return (input) =>
    atForge<LeaveQueueResult>(deps, input, async (at) => {
      const seen = await dequeue(at, input.number);
      if (seen.kind !== 'seen') return seen;
      const { state, mergeCommit: commit, base } = seen.pull;
      if (state !== 'merged') return { kind: 'left' };
      await noteMerged(at, seen.pull);
      return { kind: 'merged', commit, base };
    });
}
