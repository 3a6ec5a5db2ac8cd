/**
 * What only the base can bring: that it moves, or comes free. A host watches it for whoever waits for that; else it is looked at by timer. And the entries that somebody else takes
 * there, which are looked for each time it moved. Pure.
 */
import type { Hold, WatchedHead } from '../../protocol/actors/merge-queue.js';
import type { Watch } from '../actor/actor.js';
import { isDue } from './queue-attempts.js';
import {
  change,
  type Entry,
  end,
  type QueueErrand,
  type QueueEvent,
  type QueueState,
  type QueueStep,
  tipOf,
} from './queue-state.js';

/** How often a base that is waited for, and that nobody watches, is looked at. Source: S-79. */
const LOOK_EVERY_MS = 60_000;

type Looked = Extract<QueueEvent, { kind: 'looked' }>;

/** Null: nothing can be seen there that anybody waits for. */
export function watchOf(state: QueueState): Watch<QueueErrand> | null {
  const { base, seenAtMs, entries, watches } = state;
  const [first] = entries;
  if (first === undefined || seenAtMs === null || watches.isOver || !isWaitedFor(state)) return null;
  const { host, runId } = first;
  const [at, isInUse] = [base?.at ?? null, base?.use !== null && base?.use !== undefined];
  return {
    key: `${watches.ended} ${host} ${at} ${isInUse}`,
    errand: { kind: 'watch', workflowId: 'watch', host, runId, at, isInUse },
  };
}

function isWaitedFor(state: QueueState): boolean {
  const { base, chain, held, entries } = state;
  return (
    held?.reason === 'base_gone' ||
    (chain !== null && base?.use !== null) ||
    entries.some((entry) => entry.state === 'watched' || isRedHere(state, entry))
  );
}

/** By a lock of the base, or by what a person does elsewhere, nothing stirs that could be seen. */
export function isLookedAtInTime(state: QueueState): boolean {
  const { base, chain, held } = state;
  const isUnseen =
    held?.reason === 'config_not_trusted' || held?.reason === 'forge' || (chain !== null && base?.use === null);
  return isUnseen || (isWaitedFor(state) && watchOf(state) === null);
}

function isRedHere(state: QueueState, { state: at, redAt }: Entry): boolean {
  return at === 'waiting' && redAt !== null && redAt === tipOf(state);
}

/** What people are told of a queue in which nothing goes on. */
export function holdOf(state: QueueState): Hold | null {
  const { entries, held, isAtWork } = state;
  const tried = entries.filter((entry) => entry.state !== 'watched');
  if (held !== null || isAtWork || tried.length === 0) return held;
  return tried.every((entry) => isRedHere(state, entry))
    ? { reason: 'base_red', why: `all that wait were tried, and the base is red without them: ${tried[0]?.why ?? ''}` }
    : null;
}

/** At once: a look has minutes, and each of them may take a merge. */
const MAX_LOOKED_FOR = 50;

/** The base moved since they were looked for there. */
function findUnseen({ entries, base, seenAtMs }: QueueState): readonly Entry[] {
  return entries.filter(
    ({ state, seenOn }) => state === 'watched' && (seenAtMs === null || (base !== null && seenOn !== base.at)),
  );
}

/** `later`: their hosts were away just now. Null: there are none, or their forge cannot be asked, which is in its time. */
export function whenToSee(state: QueueState, now: number): 'now' | 'later' | null {
  const unseen = state.held?.reason === 'forge' ? [] : findUnseen(state);
  if (unseen.length === 0) return null;
  return unseen.some((entry) => isDue(entry, now)) ? 'now' : 'later';
}

/** Where all hosts were away or saw nothing, no look comes before the first of them is asked again. */
export function whenToLook({ entries, notBeforeMs }: QueueState, now: number): number {
  const [first = 0] = entries.map(({ nextAttemptAtMs }) => nextAttemptAtMs ?? 0).toSorted((a, b) => a - b);
  return Math.max(now + LOOK_EVERY_MS, first, notBeforeMs ?? 0);
}

interface ChosenLook {
  /** By its host the base is looked at. */
  readonly entry: Entry;
  readonly watched: readonly WatchedHead[];
}

/**
 * A host looks for its own heads: it has no record of the others, which are the next look's. One that was away is asked again when its time has come, or when all were. Errors: plain Error where there is no entry, for which nobody looks.
 */
export function chooseLook(state: QueueState, now: number): ChosenLook {
  const unseen = findUnseen(state);
  // What holds all up is one host's at times, such as its rights: whoever could not see the base comes behind the others.
  const isHeld = state.held?.reason === 'forge';
  const turnOf = (entry: Entry) => (isDue(entry, now) && !isHeld ? 0 : (entry.nextAttemptAtMs ?? 0));
  const first = isHeld ? [] : unseen;
  const [entry] = [...first, ...state.entries].toSorted((a, b) => turnOf(a) - turnOf(b));
  if (entry === undefined) throw new Error('nobody waits for the base that is looked at');
  const watched = unseen
    .filter(({ host }) => host === entry.host)
    .slice(0, MAX_LOOKED_FOR)
    .map(({ id, runId, repoKey, pull, anyway, head, seenOn }) => ({ id, runId, repoKey, pull, anyway, head, seenOn }));
  return { entry, watched };
}

/** Those that were looked for and did not end wait until the base moves again. */
export function noteWatched(step: QueueStep, { base, asked, watched }: Omit<Looked, 'kind'>): QueueStep {
  if (base !== null && 'held' in base) return step;
  // A base that is gone has nothing.
  const known = base === null ? { isUnsure: false } : {};
  const seen = asked.reduce(
    (rest, id) => change(rest, id, { ...known, seenOn: base?.at ?? null, nextAttemptAtMs: null, why: null }),
    step,
  );
  return watched.reduce((rest, { id, landed }) => {
    if (!asked.includes(id)) return rest;
    return landed.kind === 'merged'
      ? end(rest, id, { state: 'merged', commit: landed.commit })
      : end(rest, id, { state: 'exhausted', reason: landed.reason, why: landed.why });
  }, seen);
}
