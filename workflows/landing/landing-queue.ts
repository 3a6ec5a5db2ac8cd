/** A head that is with its merge queue: sent, sent again, heard of, given up. The queue alone says what became of it. Pure. */
import { type EntryChange, mergeQueueId, type QueueEntry } from '../../protocol/actors/merge-queue.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import { doubleThenWait, firstWait, LOST_WORD } from '../actor/back-off.js';
import type { LandingErrand } from './landing-errand.js';
import { isAnyway, isoOf, type Missing, openGate, rejectGate } from './landing-gates.js';
import { forgetLook, giveUpPull, hold } from './landing-leaving.js';
import { lookAgain } from './landing-pull.js';
import { abortRepair, repairUnasked } from './landing-repair.js';
import type { LandingEvent, LandingState, LandingStep, Leaving, Phase, Queued } from './landing-state.js';
import { abandon, open, queueOf, rest, waitForPull } from './landing-steps.js';

interface ToQueue extends Pick<QueueEntry, 'watch' | 'head'> {
  readonly branch: string;
}

/** `watch`: somebody else takes it there. `head`: what was mended by hand. */
export function enqueue(state: LandingState, { branch, watch, head }: ToQueue, now: number): LandingStep {
  const { headRunId: runId, self, run } = state;
  const source = run?.source ?? null;
  if (source === null) return rest(state);
  const { host, repoKey } = source;
  const queue = queueOf(state, { repoKey, branch });
  const entries = state.entries + 1;
  const owner = self.slice(0, self.lastIndexOf('/'));
  const since = state.since ?? isoOf(now);
  const { attempts, retryWaitMs } = state.terms?.landing ?? DEFAULT_LANDING;
  const entry = {
    id: `${self}/${runId}/${entries}`,
    owner,
    runId,
    host,
    repoKey,
    priority: 0,
    since,
    pull: state.pull?.number ?? null,
    attempts,
    retryWaitMs,
    watch,
    anyway: isAnyway(state),
    head: head ?? (run?.outcome === null ? source.head : null),
  };
  const { atMs: sendAtMs, everyMs } = firstWait(LOST_WORD, now);
  const phase: Phase = { kind: 'queued', queue, entry, heard: null, leaving: null, sendAtMs, everyMs };
  return { state: { ...state, since, entries, phase }, errands: [send({ queue, entry, leaving: null })] };
}

function send({ queue, entry, leaving }: Pick<Queued, 'queue' | 'entry' | 'leaving'>): LandingErrand {
  // A queue that is begun anew by it would land it before it heard the rest.
  const sent = leaving === null ? entry : { ...entry, withdrawn: true as const };
  return { kind: 'enqueue', workflowId: mergeQueueId(queue), queue, entry: sent };
}

export function sendAgain(state: LandingState, phase: Queued, now: number): LandingStep {
  if (now < phase.sendAtMs) return rest(state);
  const { atMs: sendAtMs, everyMs } = doubleThenWait(phase, LOST_WORD, now);
  const again = { ...phase, everyMs, sendAtMs };
  return { state: { ...state, phase: again }, errands: [send(phase), ...withdraw(phase)] };
}

/** The queue's word alone says what became of the head. */
export function hear(before: LandingState, change: EntryChange, now: number): LandingStep {
  const { phase } = before;
  const state = change.reason === 'conflict' ? { ...before, conflictAt: isoOf(now) } : before;
  if (phase.kind !== 'queued' || phase.entry.id !== change.id) return rest(state);
  if (phase.heard !== null && change.version <= phase.heard.version) return rest(state);
  if (change.state === 'merged')
    return change.reason === null
      ? rest({ ...state, phase: { kind: 'merged', commit: change.commit } })
      : rest(openGate(state, landedRed(change), now));
  if (change.state !== 'exhausted' && change.state !== 'withdrawn')
    return rest({ ...state, phase: { ...phase, heard: change } });
  if (phase.leaving !== null) return left(state, withWord(phase.leaving, change));
  // Its pull request says what it waits for, once there is one.
  if (change.reason === 'not_ready' && isOnForge(state))
    return lookAgain(state, { ...waitForPull({ head: phase.entry.head, now }), isBack: true }, now);
  if (change.state === 'withdrawn')
    return rest(
      openGate(state, { reason: 'withdrawn', why: change.why ?? 'it was taken out of the merge queue' }, now),
    );
  const missing = refusedBy(change);
  return repairUnasked(state, missing) ?? rest(openGate(state, missing, now));
}

/** That it may be on its base all the same is the queue's to know. */
function withWord(leaving: Leaving, { state, why }: EntryChange): Leaving {
  return state === 'withdrawn' && why !== null ? { ...leaving, why: `${leaving.why}; ${why}` } : leaving;
}

function isOnForge({ terms }: LandingState): boolean {
  return (terms?.forge ?? null) !== null;
}

function left(before: LandingState, { to, why }: Leaving): LandingStep {
  // Our own queue may have handed it over since the last look.
  const state = forgetLook(before);
  switch (to) {
    case 'abandoned':
      return abandon(state, why, giveUpPull(state));
    case 'paused':
      return hold(state, { why, repair: null });
    case 'again':
      return open(state);
  }
}

/** To take it back is a person's: others may have built on it. */
function landedRed({ commit, reason, why }: EntryChange): Missing {
  const what = reason === 'red' ? 'its checks are red there' : 'it could not be checked there';
  const revert = `git revert -m 1 ${commit ?? ''} takes it back, of a squash without -m 1, of a rebase each of its commits`;
  return { reason: 'landed_red', why: `the forge merged it as another tree, and ${what}: ${why ?? ''}; ${revert}` };
}

function refusedBy({ reason, why, files }: EntryChange): Missing {
  return { reason: reason ?? 'refused', why: why ?? 'the merge queue gave no reason', files };
}

export function giveUp(
  state: LandingState,
  { by, reason }: Extract<LandingEvent, { kind: 'abort' }>,
  now: number,
): LandingStep {
  const { phase } = state;
  const why = `given up${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`;
  if (phase.kind === 'queued') return leave(state, phase, { leaving: { to: 'abandoned', why }, now });
  const at = phase.kind === 'paused' ? phase.repair : phase;
  return abandon(rejectGate(state, { by, note: reason }, now), why, [
    ...(at === null ? [] : abortRepair(at, why)),
    ...giveUpPull(state),
  ]);
}

/** Unit: ms; a person waits for the word of the queue, which may be lost. */
const LEAVE_AGAIN_MS = 60_000;

/** The queue is asked for the entry back. */
export function leave(state: LandingState, phase: Queued, { leaving, now }: Leaves): LandingStep {
  const everyMs = Math.min(phase.everyMs, LEAVE_AGAIN_MS);
  const leaves = { ...phase, leaving, everyMs, sendAtMs: Math.min(phase.sendAtMs, now + everyMs) };
  return { state: { ...state, phase: leaves }, errands: withdraw(leaves) };
}

interface Leaves {
  readonly leaving: Leaving;
  readonly now: number;
}

/** The queue looks at its base, and says again how the entry stands. */
export function lookNow(state: LandingState, phase: Queued, now: number): LandingStep {
  const again = sendAgain(state, { ...phase, sendAtMs: now }, now);
  return { ...again, errands: [...again.errands, { kind: 'look', workflowId: mergeQueueId(phase.queue) }] };
}

function withdraw({ queue, entry, leaving }: Queued): readonly LandingErrand[] {
  return leaving === null ? [] : [{ kind: 'withdraw', workflowId: mergeQueueId(queue), id: entry.id }];
}
