/** Takes a pull request out of the forge's own queue, for a person who gives its landing up or holds it. */
import type { LeaveQueueInput, LeaveQueueResult } from '../../protocol/actors/forge.js';
import { atForge, type ForgeDeps } from './at-forge.js';
import { dequeue } from './merge-pull.js';

export function createLeaveQueue(deps: ForgeDeps): (input: LeaveQueueInput) => Promise<LeaveQueueResult> {
  return (input) =>
    atForge<LeaveQueueResult>(deps, input, async (at) => (await dequeue(at, input.number)) ?? { kind: 'left' });
}
