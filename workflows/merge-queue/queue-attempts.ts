/** Whose turn it is, and what a failed attempt means for its entry: another one after a wait that doubles, or its end. Pure. */
import type { EntryChange, SeenBase } from '../../protocol/actors/merge-queue.js';
import { waitThenDouble } from '../actor/back-off.js';
import {
  type Conflict,
  change,
  cutFiles,
  cutWhy,
  type Entry,
  end,
  type QueueEvent,
  type QueueState,
  type QueueStep,
  tipOf,
} from './queue-state.js';

/** Source: T-74. */
const MAX_WAIT_MS = 5 * 60_000;

/** In a row; then the entry leaves as base_busy. */
const MAX_MOVED = 10;

/** Until a host that is away is asked again, which holds the queue up for a minute: twice as long each time, and half an hour at last. */
const AWAY_MS = 60_000;
const MAX_AWAY_MS = 30 * 60_000;

/** Until a host that could not see the base has another turn, at least: the others look before, in a minute. */
const UNSEEN_MS = 2 * 60_000;

/** By priority, then by the time of the next attempt, then by age; where none has failed its age is that time, so that neither keeps the other waiting for ever. */
export function compareTurns(a: Entry, b: Entry): number {
  const [ageOfA, ageOfB] = [Date.parse(a.since), Date.parse(b.since)];
  return b.priority - a.priority || (a.nextAttemptAtMs ?? ageOfA) - (b.nextAttemptAtMs ?? ageOfB) || ageOfA - ageOfB;
}

/** The time of its next attempt has come: its last one did not fail just now, nor was its host away. */
export function isDue({ nextAttemptAtMs }: Entry, now: number): boolean {
  return nextAttemptAtMs === null || nextAttemptAtMs <= now;
}

export function chooseNext(state: QueueState, now: number): Entry | undefined {
  return state.entries.filter((entry) => mayBeTried(state, entry) && isDue(entry, now)).toSorted(compareTurns)[0];
}

/** When the next attempt is due; null: nobody waits for one. Unit: ms since 1970. */
export function findNextAttempt(state: QueueState): number | null {
  const times = state.entries.flatMap((entry) => (mayBeTried(state, entry) ? (entry.nextAttemptAtMs ?? []) : []));
  return times.length === 0 ? null : Math.min(...times);
}

/** One that is red on this base waits for another. */
function mayBeTried(state: QueueState, { state: at, redAt }: Entry): boolean {
  return at === 'waiting' && (redAt === null || redAt !== tipOf(state));
}

/** What an attempt would come to without being made; null: it has to be made. */
export function recallConflict(state: QueueState, { conflict }: Entry): Conflict | null {
  return conflict !== null && conflict.on === tipOf(state) ? conflict : null;
}

function rememberConflict({ on, why, files }: Conflict): Conflict {
  return { on, why: cutWhy(why), files: cutFiles(files) };
}

interface FailedAttempt extends Pick<EntryChange, 'why'> {
  /** Null: its checks were red. */
  readonly conflict: Conflict | null;
}

export function failAttempt(
  step: QueueStep,
  id: string,
  { why, conflict, now }: FailedAttempt & { now: number },
): QueueStep {
  const entry = step.state.entries.find((one) => one.id === id);
  if (entry === undefined) return step;
  const used = entry.used + 1;
  const reason = conflict === null ? 'red' : 'conflict';
  if (used >= entry.attempts) return end(step, id, { state: 'exhausted', reason, why, files: conflict?.files ?? [] });
  const waitMs = Math.min(entry.retryWaitMs * 2 ** (used - 1), MAX_WAIT_MS);
  const again = `attempt ${used} of ${entry.attempts} failed, the next is in ${Math.ceil(waitMs / 1_000)} s: ${why ?? reason}`;
  const remembered = conflict === null ? null : rememberConflict(conflict);
  const to = { moved: 0, used, nextAttemptAtMs: now + waitMs, conflict: remembered };
  return change(step, id, { ...to, state: 'waiting', why: again });
}

export function noteMoved(step: QueueStep, id: string): QueueStep {
  const moved = (step.state.entries.find((entry) => entry.id === id)?.moved ?? 0) + 1;
  const why = `the base moved ${moved} times while it was merged`;
  return moved < MAX_MOVED
    ? change(step, id, { state: 'waiting', moved })
    : end(step, id, { state: 'exhausted', reason: 'base_busy', why });
}

/** It has used nothing up, and holds up none of another host; those of its own wait as it does. */
export function noteAway(
  state: QueueState,
  { id, failure, isUnsure }: Extract<QueueEvent, { kind: 'away' }>,
  now: number,
): QueueStep {
  const entry = state.entries.find((one) => one.id === id);
  if (entry === undefined) return { state, errands: [] };
  const { host } = entry;
  const said = failure === null ? 'is away; nobody took the work for a minute' : `could not do it: ${failure}`;
  const at = entry.state === 'landing' ? 'waiting' : entry.state;
  const later = putOff(state, host, { leastMs: AWAY_MS, now });
  const unsure = isUnsure ? { isUnsure } : {};
  const nextAttemptAtMs = later.putOff?.[host]?.untilMs ?? now;
  const to = { nextAttemptAtMs, state: at, why: `its host ${host} ${said}`, ...unsure } as const;
  return change({ state: later, errands: [] }, id, to);
}

/** Each time for twice as long, until it has seen the base. */
function putOff(
  state: QueueState,
  host: string,
  { leastMs, now }: { readonly leastMs: number; readonly now: number },
): QueueState {
  const known = state.putOff?.[host];
  const before = known === undefined ? null : { everyMs: Math.max(known.everyMs, leastMs) };
  const { atMs: untilMs, everyMs } = waitThenDouble(before, { firstMs: leastMs, lastMs: MAX_AWAY_MS }, now);
  const entries = state.entries.map((one) =>
    one.host === host && (isDue(one, now) || one.nextAttemptAtMs === known?.untilMs)
      ? { ...one, nextAttemptAtMs: untilMs }
      : one,
  );
  return { ...state, entries, putOff: { ...state.putOff, [host]: { untilMs, everyMs } } };
}

/** A host has answered for this entry. That the base could not be seen may lie at that host, as by its token: the others have a turn before it. */
export function noteAnswer(
  state: QueueState,
  { id, base }: { readonly id: string; readonly base: SeenBase },
  now: number,
): QueueState {
  const host = state.entries.find((one) => one.id === id)?.host;
  if (host === undefined) return state;
  if (base === null || !('held' in base)) return endPutOff(state, host, now);
  return base.until === null ? putOff(state, host, { leastMs: UNSEEN_MS, now }) : state;
}

/** What the forge does not do for this head, it may do for the next: once the base is seen those go first, and this one has a wait of its own. */
export function noteHeld(step: QueueStep, id: string, { why, now }: { readonly why: string; readonly now: number }) {
  const entry = step.state.entries.find((one) => one.id === id);
  const before = entry?.heldMs == null ? null : { everyMs: entry.heldMs };
  const { atMs, everyMs } = waitThenDouble(before, { firstMs: UNSEEN_MS, lastMs: MAX_AWAY_MS }, now);
  return change(step, id, { state: 'waiting', why, heldMs: everyMs, nextAttemptAtMs: atMs });
}

/** Whoever rings may have mended it: it is due, behind those that the forge does take. */
export function endHeld(state: QueueState, now: number): QueueState {
  const entries = state.entries.map((one) => (one.heldMs == null ? one : { ...one, nextAttemptAtMs: now }));
  return { ...state, entries };
}

/** Those of its entries that waited for it alone are due. */
function endPutOff(state: QueueState, host: string, now: number): QueueState {
  const { [host]: known, ...others } = state.putOff ?? {};
  if (known === undefined) return state;
  const dueAt = (used: number) => (used === 0 ? null : now);
  const entries = state.entries.map((one) =>
    one.host === host && one.heldMs == null && one.nextAttemptAtMs === known.untilMs
      ? { ...one, nextAttemptAtMs: dueAt(one.used) }
      : one,
  );
  return { ...state, entries, putOff: others };
}
