/**
 * The one table of a landing: opening → queued → merged, or gated until a person sends `land` again; `abort` gives the head up once the queue has said that it did not land. Pure.
 */
import type { FindBaseResult, LandingGate, RunToLand } from '../../protocol/actors/landing.js';
import {
  ENTRY_SIGNAL,
  type EntryChange,
  mergeQueueId,
  type QueueEntry,
  type QueueRef,
} from '../../protocol/actors/merge-queue.js';
import type { Rules, Tick } from '../actor/actor.js';
import type { Judgement } from '../inbox/inbox.js';
import type { LandingErrand, LandingEvent, LandingState, LandingStep, Phase } from './landing-state.js';

/** How long it waits for a word of the queue before it sends its entry again, which starts a queue that was lost; doubled each time. */
const SEND_AGAIN_MS = 10 * 60_000;
const MAX_SEND_AGAIN_MS = 6 * 3_600_000;

export const LANDING_RULES: readonly Rules<LandingState, LandingEvent, LandingErrand>[] = [
  { judge, after: afterEvent, wakesAt, isIdle: ({ phase }) => phase.kind === 'merged' || phase.kind === 'abandoned' },
];

function wakesAt({ phase }: LandingState): number | null {
  return phase.kind === 'queued' ? phase.sendAtMs : null;
}

function judge({ phase, base, onto }: LandingState, event: LandingEvent): Judgement {
  if (event.kind === 'land') {
    if (phase.kind === 'merged') return { kind: 'unchanged', message: 'it has landed' };
    if (phase.kind === 'gated' || phase.kind === 'abandoned' || phase.kind === 'idle')
      return { kind: 'accepted', message: 'it is sent to the merge queue' };
    const to = base ?? onto;
    return event.onto === null || to === null || event.onto === to
      ? { kind: 'unchanged', message: 'it is on its way already' }
      : { kind: 'refused', why: `it is on its way to ${to}; give that up first: sluice landings drop` };
  }
  if (event.kind !== 'abort') return { kind: 'accepted', message: 'it is noted' };
  if (phase.kind === 'merged') return { kind: 'refused', why: 'it has landed' };
  if (phase.kind === 'abandoned') return { kind: 'unchanged', message: 'it is given up already' };
  return phase.kind === 'queued'
    ? { kind: 'accepted', message: 'it is given up, unless it has landed before the queue hears of it' }
    : { kind: 'accepted', message: 'it is given up' };
}

export function afterEvent(state: LandingState, event: LandingEvent | Tick, now: number): LandingStep {
  switch (event.kind) {
    case 'begin':
      return state.phase.kind === 'idle' ? open(state) : rest(state);
    case 'land':
      return open({ ...state, onto: event.onto ?? state.onto });
    case 'opened':
      return state.phase.kind === 'opening' ? readRun(state, event.run) : rest(state);
    case 'based':
      return state.phase.kind === 'opening' && state.phase.source !== null
        ? enqueue(state, { ...state.phase.source, found: event.base }, now)
        : rest(state);
    case 'failed':
      return state.phase.kind === 'opening' ? gate(state, event.reason, event.why) : rest(state);
    case ENTRY_SIGNAL:
      return hear(state, event.change);
    case 'abort':
      return giveUp(state, givenUp(event));
    case 'tick':
      return sendAgain(state, now);
  }
}

function rest(state: LandingState): LandingStep {
  return { state, errands: [] };
}

function gate(state: LandingState, reason: LandingGate, why: string): LandingStep {
  return rest({ ...state, phase: { kind: 'gated', reason, why, files: [] } });
}

function open(state: LandingState): LandingStep {
  return {
    state: { ...state, phase: { kind: 'opening', source: null } },
    errands: [{ kind: 'open', workflowId: state.runId }],
  };
}

function readRun(state: LandingState, run: RunToLand): LandingStep {
  const { runId, onto } = state;
  if (run.kind === 'open') return gate(state, 'no_answer', `the run ${runId} is not closed yet`);
  if (run.kind === 'none') return gate(state, 'no_answer', `the server knows no answer of the run ${runId}`);
  const { outcome, source } = run;
  if (source === null) return gate(state, 'nothing_left', `the run ${runId} changed nothing`);
  if (outcome !== 'merge_ready') return gate(state, 'not_merge_ready', `the run ${runId} ended ${outcome}`);
  const { host, repoKey } = source;
  const input = { repoKey, runId, base: onto ?? source.base.branch };
  return {
    state: { ...state, host, phase: { kind: 'opening', source } },
    errands: [{ kind: 'findBase', workflowId: runId, host, input }],
  };
}

interface Onto {
  readonly host: string;
  readonly repoKey: string;
  readonly found: FindBaseResult;
}

function enqueue(state: LandingState, { host, repoKey, found }: Onto, now: number): LandingStep {
  if (found.kind === 'refused') return gate(state, 'no_base', found.why);
  const { runId, self } = state;
  const { branch } = found;
  const queue = { repoKey, branch };
  const entries = state.entries + 1;
  const owner = self.slice(0, self.lastIndexOf('/'));
  const since = new Date(now).toISOString();
  const entry = { id: `${self}/${runId}/${entries}`, owner, runId, host, priority: 0, since };
  const times = { sendAtMs: now + SEND_AGAIN_MS, everyMs: SEND_AGAIN_MS };
  const phase: Phase = { kind: 'queued', queue, entry, heard: null, leaving: null, ...times };
  return { state: { ...state, base: branch, entries, phase }, errands: [send(queue, entry)] };
}

function send(queue: QueueRef, entry: QueueEntry): LandingErrand {
  return { kind: 'enqueue', workflowId: mergeQueueId(queue), queue, entry };
}

function sendAgain(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'queued' || now < phase.sendAtMs) return rest(state);
  const everyMs = Math.min(2 * phase.everyMs, MAX_SEND_AGAIN_MS);
  const again = { ...phase, everyMs, sendAtMs: now + everyMs };
  return { state: { ...state, phase: again }, errands: [send(phase.queue, phase.entry), ...withdraw(phase)] };
}

/** The queue's word alone says what became of the head. */
function hear(state: LandingState, change: EntryChange): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'queued' || phase.entry.id !== change.id) return rest(state);
  if (phase.heard !== null && change.version <= phase.heard.version) return rest(state);
  if (change.state === 'merged') return rest({ ...state, phase: { kind: 'merged', commit: change.commit } });
  if (change.state !== 'exhausted' && change.state !== 'withdrawn')
    return rest({ ...state, phase: { ...phase, heard: change } });
  if (phase.leaving !== null) return rest({ ...state, phase: { kind: 'abandoned', why: phase.leaving } });
  return change.state === 'withdrawn'
    ? gate(state, 'withdrawn', 'it was taken out of the merge queue')
    : rest({ ...state, phase: refusedBy(change) });
}

function refusedBy({ reason, why, files }: EntryChange): Phase {
  return { kind: 'gated', reason: reason ?? 'refused', why: why ?? 'the merge queue gave no reason', files };
}

function givenUp({ by, reason }: Extract<LandingEvent, { kind: 'abort' }>): string {
  return `given up${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`;
}

function giveUp(state: LandingState, why: string): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'queued') return rest({ ...state, phase: { kind: 'abandoned', why } });
  const leaving = { ...phase, leaving: why };
  return { state: { ...state, phase: leaving }, errands: withdraw(leaving) };
}

function withdraw({ queue, entry, leaving }: Extract<Phase, { kind: 'queued' }>): readonly LandingErrand[] {
  return leaving === null ? [] : [{ kind: 'withdraw', workflowId: mergeQueueId(queue), id: entry.id }];
}
