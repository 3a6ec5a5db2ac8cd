/** What a merge queue says to those who ask something of it, before it does it. Pure. */
import type { Judgement } from '../inbox/inbox.js';
import { isLeaving, type QueueEvent, type QueueState } from './queue-state.js';

/** Waiting ones; a queue of that many is under attack. */
export const MAX_ENTRIES = 1_000;

/** What owners send is not answered but by `entryChanged`. */
export function judge({ entries, chain, isPaused, notBeforeMs }: QueueState, { kind }: QueueEvent): Judgement {
  switch (kind) {
    case 'enqueue':
      return entries.length < MAX_ENTRIES ? NOTED : { kind: 'refused', why: `${MAX_ENTRIES} entries wait already` };
    case 'pause':
      return isPaused
        ? { kind: 'unchanged', message: 'the queue is paused already' }
        : { kind: 'accepted', message: 'nothing more lands until it is resumed; what is at work is finished' };
    case 'resume':
      return isPaused
        ? { kind: 'accepted', message: 'the queue goes on' }
        : { kind: 'unchanged', message: 'the queue is not paused' };
    case 'abort':
      return entries.length === 0
        ? { kind: 'unchanged', message: 'nothing waits in the queue' }
        : { kind: 'accepted', message: `withdrawn: ${entries.length}; what is swapped by then has landed` };
    case 'look':
      return notBeforeMs === null
        ? { kind: 'accepted', message: 'the base is looked at' }
        : { kind: 'accepted', message: 'the base is looked at once the limit of its forge is over' };
    case 'take':
      if (chain === null) return { kind: 'refused', why: 'nothing is ready to be taken' };
      return entries.some(isLeaving)
        ? { kind: 'refused', why: 'a part of the chain is being withdrawn; it is another one in a moment' }
        : { kind: 'accepted', message: 'the chain stands for a minute' };
    default:
      return NOTED;
  }
}

const NOTED: Judgement = { kind: 'accepted', message: 'it is noted' };
