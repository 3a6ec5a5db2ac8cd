/**
 * The one table of a merge queue: which entry is worked at, what its end means for the others, and whom to tell. Pure.
 * An entry goes waiting → landing → merged, or ready → merged where the base is in use; it leaves as exhausted or withdrawn. What is ready is a link of the
 * chain, and nothing overtakes the chain: who comes next is made on its last link. A base that moved otherwise, or a link that was withdrawn, has the rest
 * made anew, in its order.
 */
import type { CheckTreeInput, Hold, SeenBase, WatchBaseResult } from '../../protocol/actors/merge-queue.js';
import type { Rules, Tick } from '../actor/actor.js';
import { enqueue } from './enqueue.js';
import {
  chooseNext,
  endHeld,
  failAttempt,
  findNextAttempt,
  noteAnswer,
  noteAway,
  noteHeld,
  noteMoved,
  recallConflict,
} from './queue-attempts.js';
import { judge } from './queue-judge.js';
import {
  begin,
  change,
  commitsOf,
  type Entry,
  end,
  isLeaving,
  makeAnewFrom,
  type QueueErrand,
  type QueueEvent,
  type QueueState,
  type QueueStep,
  tipOf,
} from './queue-state.js';
import { chooseLook, isLookedAtInTime, noteWatched, watchOf, whenToLook, whenToSee } from './queue-watch.js';
import { dropWithdrawn, endUnanswered, findAnswerTime, withdraw } from './queue-withdrawal.js';

/** They travel with each entry. */
const MAX_EVIDENCE = 20;

const LEAST_HOLD_MS = 1_000;

/** What somebody's git needs for a fast-forward of a large checkout. */
const TAKE_MS = 60_000;

export const QUEUE_RULES: readonly Rules<QueueState, QueueEvent, QueueErrand>[] = [
  { judge, after: afterEvent, wakesAt, isIdle, watchOf },
];

export function afterEvent(before: QueueState, event: QueueEvent | Tick, now: number): QueueStep {
  const rested = { ...before, isAtWork: false };
  switch (event.kind) {
    case 'enqueue':
      return goOn(enqueue(before, event.entry, now), now);
    case 'withdraw':
      return goOn(
        withdraw(before, ({ id }) => id === event.id, now),
        now,
      );
    case 'abort':
      return goOn(
        withdraw(before, () => true, now),
        now,
      );
    case 'pause':
      return { state: { ...before, isPaused: true }, errands: [] };
    case 'resume':
      return goOn({ state: { ...before, isPaused: false }, errands: [] }, now);
    case 'look':
      return goOn(
        { state: { ...endHeld(before, now), lookAtMs: Math.max(now, before.notBeforeMs ?? now) }, errands: [] },
        now,
      );
    case 'take':
      return { state: { ...before, takenUntilMs: now + TAKE_MS }, errands: [] };
    case 'tick':
      return goOn(endUnanswered(isOver(before, now) ? breakPromise(before, now) : before, now), now);
    case 'watched':
      return goOn({ state: noteWatch(before, event.base, now), errands: [] }, now);
    case 'looked':
      return goOn(dropWithdrawn(noteWatched(noteBase(rested, { ...event, id: event.by }, now), event), 'known'), now);
    case 'landed':
      return goOn(dropWithdrawn(noteLanded(noteBase(rested, event, now), event, now), 'known'), now);
    case 'checked':
      return goOn(noteChecked(rested, event, now), now);
    case 'away':
      return goOn(dropWithdrawn(noteAway(rested, event, now), 'unknown'), now);
    case 'failed':
      return goOn(dropWithdrawn(noteFailed(rested, event), 'unknown'), now);
  }
}

function wakesAt(state: QueueState): number | null {
  const due = state.isAtWork || isStill(state) ? null : findNextAttempt(state);
  const times = [state.lookAtMs, state.takenUntilMs, due, findAnswerTime(state)].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** No attempt is begun, whoever's turn it is. */
function isStill({ isPaused, held, entries }: QueueState): boolean {
  return isPaused || held !== null || entries.some(isLeaving);
}

function isOver({ takenUntilMs }: QueueState, now: number): boolean {
  return takenUntilMs !== null && takenUntilMs <= now;
}

/** Only time ends it: somebody else may have been promised the chain too. What waits to be withdrawn is looked for on the base first. */
function breakPromise(state: QueueState, now: number): QueueState {
  return { ...state, takenUntilMs: null, lookAtMs: now };
}

function isIdle({ entries, isAtWork, isPaused, held }: QueueState): boolean {
  return entries.length === 0 && !isAtWork && !isPaused && held === null;
}

/** What the base holds has landed. A base that was moved otherwise has the rest of the chain made anew. */
function noteBase(
  asked: QueueState,
  { id, base }: { readonly id: string; readonly base: SeenBase },
  now: number,
): QueueStep {
  const before = noteAnswer(asked, { id, base }, now);
  if (base !== null && 'held' in base) {
    // The clock of a forge may be behind ours.
    const lookAtMs =
      base.until === null ? whenToLook(before, now) : Math.max(Date.parse(base.until), now + LEAST_HOLD_MS);
    const notBeforeMs = base.until === null ? null : lookAtMs;
    return { state: { ...before, held: base.held, lookAtMs, notBeforeMs }, errands: [] };
  }
  // Whoever rang while it was looked at may have done something behind that look.
  const lookAtMs = before.lookAtMs !== null && before.lookAtMs <= now ? before.lookAtMs : null;
  const seen = {
    ...before,
    base,
    seenAtMs: now,
    lookAtMs,
    notBeforeMs: null,
    watches: { ...before.watches, isOver: false },
  };
  if (base === null)
    return { state: { ...seen, held: { reason: 'base_gone', why: 'the base branch is gone' } }, errands: [] };
  const state = { ...seen, held: null };
  const { chain } = state;
  if (chain === null) return { state, errands: [] };
  const [landed, rest] = [chain.links.slice(0, base.contains), chain.links.slice(base.contains)];
  const stands = base.isLost !== true && base.at === (landed.at(-1)?.commit ?? chain.base);
  const left = rest.length === 0 ? null : { base: base.at, links: rest };
  const begun: QueueStep = { state: { ...state, chain: left }, errands: [] };
  const merged = landed.reduce((step, { entry, commit }) => end(step, entry, { state: 'merged', commit }), begun);
  return stands || rest[0] === undefined ? merged : makeAnewFrom(merged, rest[0].entry);
}

function noteLanded(
  before: QueueStep,
  { id, base, landed }: Extract<QueueEvent, { kind: 'landed' }>,
  now: number,
): QueueStep {
  // Who could not see the base did not look whether an attempt that was lost had landed it.
  const step = base !== null && 'held' in base ? before : change(before, id, { isUnsure: false, heldMs: null });
  const { state } = step;
  switch (landed.kind) {
    case 'merged':
      return landed.uncheckedOn === undefined
        ? end(step, id, { state: 'merged', commit: landed.commit })
        : checkThere(step, id, { commit: landed.commit, on: landed.uncheckedOn });
    case 'exhausted':
      return end(step, id, { state: 'exhausted', reason: landed.reason, why: landed.why });
    case 'conflict':
      return failAttempt(step, id, { why: landed.why, conflict: landed, now });
    case 'moved':
      if (state.held === null) return noteMoved(step, id);
      // What the forge does not do for this head alone: of a base that nobody could see the head is not the cause.
      return base !== null && 'held' in base && base.until === null && landed.isUnseen !== true
        ? noteHeld(step, id, { why: state.held.why, now })
        : change(step, id, { state: 'waiting', why: state.held.why });
    case 'held':
      return hold(step, id, landed);
    case 'ready':
    case 'check':
      // What it was made on is no longer what the next is made on.
      if (landed.on !== tipOf(state)) return noteMoved(step, id);
      if (landed.kind === 'ready') return link(step, id, landed.commit);
      // It would be checked on a link that is about to go.
      return state.entries.some(isLeaving) ? change(step, id, { state: 'waiting' }) : startCheck(step, id, landed);
  }
}

function link(step: QueueStep, id: string, commit: string): QueueStep {
  const { chain, base } = step.state;
  const links = [...(chain?.links ?? []), { entry: id, commit }];
  const state = { ...step.state, chain: { base: chain?.base ?? base?.at ?? commit, links } };
  return change({ ...step, state }, id, { state: 'ready', moved: 0, why: base?.use ?? null });
}

/** It is on the base, and its owner hears so once it is known whether it is green there. */
function checkThere(step: QueueStep, id: string, { commit, on }: Pick<CheckTreeInput, 'commit' | 'on'>): QueueStep {
  const there = change(step, id, { landed: commit, isWithdrawn: false });
  return startCheck(there, id, { commit, on });
}

function startCheck(step: QueueStep, id: string, { commit, on }: Pick<CheckTreeInput, 'commit' | 'on'>): QueueStep {
  const entry = step.state.entries.find((one) => one.id === id);
  if (entry === undefined || entry.isWithdrawn) return step;
  return begin(step, (begun) => ({ ...begun, kind: 'check', entry, commit, on }));
}

/** What ended is begun anew once the base was looked at. */
function noteWatch(state: QueueState, base: WatchBaseResult['kind'], now: number): QueueState {
  const watches = { ended: state.watches.ended + 1, isOver: true };
  return { ...state, watches, lookAtMs: base === 'stirred' ? now : state.lookAtMs };
}

/** It has used nothing up. */
function hold(step: QueueStep, id: string, { reason, why }: Hold): QueueStep {
  const held = { ...step, state: { ...step.state, held: { reason, why } } };
  return change(held, id, { state: 'waiting', why });
}

function noteChecked(state: QueueState, checked: Extract<QueueEvent, { kind: 'checked' }>, now: number): QueueStep {
  const step: QueueStep = { state, errands: [] };
  if (checked.outcome === 'held') return dropWithdrawn(hold(step, checked.id, checked), 'unknown');
  const { id, on, tree, checks, outcome, why, isBaseRed } = checked;
  const there = state.entries.find((entry) => entry.id === id)?.landed ?? null;
  if (there !== null) {
    // What is red without this head too is no fault of it.
    const reason = outcome === 'green' || isBaseRed ? null : outcome;
    return dropWithdrawn(end(step, id, { state: 'merged', commit: there, reason, why }), 'unknown');
  }
  if (outcome === 'green') {
    const evidence = [...state.evidence, { tree, checks, on, at: checked.at }].slice(-MAX_EVIDENCE);
    const seen = { ...step, state: { ...state, evidence } };
    const entry = state.entries.find((one) => one.id === id);
    if (entry === undefined || entry.isWithdrawn) return dropWithdrawn(seen, 'unknown');
    // With it would land what somebody takes out, or all that is ready though it is paused.
    return isStill(state) ? change(seen, id, { state: 'waiting' }) : land(seen, entry);
  }
  if (outcome === 'unchecked')
    return dropWithdrawn(end(step, id, { state: 'exhausted', reason: 'unchecked', why }), 'unknown');
  // Red without this head: the next may be the cure, and it has used nothing up.
  const after = isBaseRed
    ? change(step, id, { state: 'waiting', redAt: on, why })
    : failAttempt(step, id, { why, conflict: null, now });
  return dropWithdrawn(after, 'unknown');
}

function noteFailed(state: QueueState, { id, why }: Extract<QueueEvent, { kind: 'failed' }>): QueueStep {
  const there = state.entries.find((entry) => entry.id === id)?.landed ?? null;
  if (there !== null)
    return end({ state, errands: [] }, id, { state: 'merged', commit: there, reason: 'unchecked', why });
  return end(makeAnewFrom({ state, errands: [] }, id), id, { state: 'exhausted', reason: 'refused', why });
}

/** Whatever happened: the next thing to be done to the base, one at a time; else when it is looked at. */
function goOn(before: QueueStep, now: number): QueueStep {
  // Without a chain there is nothing to be promised.
  const step = before.state.chain === null ? { ...before, state: { ...before.state, takenUntilMs: null } } : before;
  const { state, errands } = step;
  const { entries, isAtWork, lookAtMs, seenAtMs } = state;
  if (isAtWork) return step;
  // Nobody waits for it any more.
  if (entries.length === 0) return { state: { ...state, lookAtMs: null, notBeforeMs: null, held: null }, errands };
  const next = isStill(state) ? undefined : chooseNext(state, now);
  const unseen = whenToSee(state, now);
  if ((lookAtMs !== null && lookAtMs <= now) || (unseen === 'now' && next === undefined)) return look(step, now);
  const isTimed = unseen !== null || (next === undefined && isLookedAtInTime(state));
  const timed = isTimed
    ? { ...step, state: { ...state, lookAtMs: Math.min(lookAtMs ?? Infinity, whenToLook(state, now)) } }
    : step;
  if (next === undefined) return timed;
  const known = recallConflict(state, next);
  if (known === null) return land(change(timed, next.id, { state: 'landing' }), next);
  // What is remembered of a base counts while nobody can have moved it.
  return (seenAtMs ?? 0) < (next.nextAttemptAtMs ?? 0)
    ? look(timed, now)
    : goOn(failAttempt(timed, next.id, { why: known.why, conflict: known, now }), now);
}

function look({ state, errands }: QueueStep, now: number): QueueStep {
  const { isPaused, entries, chain } = state;
  const mayMove = !isPaused && !entries.some(isLeaving);
  const errand = { kind: 'look', ...chooseLook(state, now), chain: commitsOf(chain), mayMove } as const;
  return begin({ state: { ...state, lookAtMs: null }, errands }, (begun) => ({ ...begun, ...errand }));
}

function land(step: QueueStep, entry: Entry): QueueStep {
  const { chain, evidence } = step.state;
  return begin(step, (begun) => ({ ...begun, kind: 'land', entry, chain: commitsOf(chain), evidence }));
}
