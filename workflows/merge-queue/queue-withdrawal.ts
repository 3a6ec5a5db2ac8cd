/** How an entry leaves a merge queue before it has landed, and what must be known for that: that the base has it not. Pure. */
import { change, type Entry, end, isLeaving, makeAnewFrom, type QueueState, type QueueStep } from './queue-state.js';

/** A host that did not say by then whether it landed a head may never come back, and a person waits for the end of it. */
const ANSWER_MS = 24 * 3_600_000;

/** What is ready may be on the base by now, by whoever took the chain: it is looked at first. What a forge has merged is no longer anybody's to take out. */
export function withdraw(state: QueueState, isMeant: (entry: Entry) => boolean, now: number): QueueStep {
  const entries = state.entries.map((entry) =>
    isMeant(entry) && entry.landed === null
      ? { ...entry, isWithdrawn: true, withdrawnAtMs: entry.withdrawnAtMs ?? now }
      : entry,
  );
  const lookAtMs = entries.some(isLeaving) ? (state.takenUntilMs ?? now) : state.lookAtMs;
  return dropWithdrawn({ state: { ...state, entries, lookAtMs }, errands: [] }, 'unknown');
}

/** `base`: whether it is known which links it holds. What is at work may have moved it, and so may whoever takes the chain. */
export function dropWithdrawn(step: QueueStep, base: 'known' | 'unknown'): QueueStep {
  const { isAtWork, entries, takenUntilMs } = step.state;
  const isLinkFree = base === 'known' && !isAtWork && takenUntilMs === null;
  const leaves = { waiting: true, watched: true, landing: !isAtWork, ready: isLinkFree };
  const gone = entries.filter((entry) => entry.isWithdrawn && leaves[entry.state]);
  return gone.reduce((rest, entry) => {
    const { id } = entry;
    // It leaves once its host did not find it on the base.
    if (isUnanswered(entry)) return change(rest, id, { state: 'watched' });
    return end(makeAnewFrom(rest, id), id, { state: 'withdrawn' });
  }, step);
}

function isUnanswered({ isUnsure, seenOn }: Entry): boolean {
  return isUnsure === true && seenOn === null;
}

/** Null: nobody waits for what its host says of an attempt that was lost. */
function answerUntil(entry: Entry): number | null {
  const { isWithdrawn, withdrawnAtMs, state } = entry;
  return isWithdrawn && state === 'watched' && isUnanswered(entry) && withdrawnAtMs !== undefined
    ? withdrawnAtMs + ANSWER_MS
    : null;
}

/** When the first of those that wait for a host to say whether it landed them waits no longer; null: none does. */
export function findAnswerTime({ entries }: QueueState): number | null {
  const times = entries.flatMap((entry) => answerUntil(entry) ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

export function endUnanswered(state: QueueState, now: number): QueueStep {
  const late = state.entries.filter((entry) => (answerUntil(entry) ?? Infinity) <= now);
  const begun: QueueStep = { state, errands: [] };
  return late.reduce((rest, { id, host }) => {
    const why = `it may be on the base: its host ${host}, which was lost while it landed it, did not say so for a day`;
    return end(rest, id, { state: 'withdrawn', why });
  }, begun);
}
