/** How an entry comes into a merge queue. Pure. */
import type { QueueEntry } from '../../protocol/actors/merge-queue.js';
import { changeOf, type Entry, type QueueState, type QueueStep, tell, UNTOLD } from './queue-state.js';

/** One that came before is answered as it stands. */
export function enqueue(state: QueueState, entry: QueueEntry, now: number): QueueStep {
  const ended = state.results.find(({ id }) => id === entry.id);
  if (ended !== undefined) return { state, errands: [tell(ended.owner, ended)] };
  const known = state.entries.find(({ id }) => id === entry.id);
  if (known !== undefined) return { state, errands: [tell(known.owner, changeOf(state, known))] };
  const { withdrawn = false, ...kept } = entry;
  const added: Entry = {
    ...kept,
    state: entry.watch || withdrawn ? 'watched' : 'waiting',
    isWithdrawn: withdrawn,
    ...(withdrawn ? { withdrawnAtMs: now, isUnsure: true } : {}),
    moved: 0,
    redAt: null,
    // Its owner may have heard of it by a queue before this one, that somebody ended.
    version: now,
    used: 0,
    nextAttemptAtMs: null,
    conflict: null,
    seenOn: null,
    landed: null,
    why: null,
    told: UNTOLD,
  };
  return { state: { ...state, entries: [...state.entries, added] }, errands: [] };
}
