/**
 * The one table of a landing: opening → queued → merged, or gated until a person sends `land` again; `abort` gives the head up once the queue has said that it did not land. Pure.
 */
import type { FindBaseResult, LandingGate, RunEnd, RunToLand } from '../../protocol/actors/landing.js';
import {
  ENTRY_SIGNAL,
  type EntryChange,
  mergeQueueId,
  type QueueEntry,
  type QueueRef,
} from '../../protocol/actors/merge-queue.js';
import type { GateMessage } from '../../protocol/messages/message-rows.js';
import type { LandingNeeds } from '../../protocol/run/landing-policy.js';
import type { Rules, Tick } from '../actor/actor.js';
import { openGateOf } from '../gates/gate-book.js';
import { judgeGateMessage } from '../gates/gate-decision.js';
import { accepted, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import { decideGate, type Missing, openGate, passGate, rejectGate, ringGate, ringOf } from './landing-gates.js';
import { noteWritten, record } from './landing-journal.js';
import type { LandingErrand, LandingEvent, LandingState, LandingStep, Phase } from './landing-state.js';

/** How long it waits for a word of the queue before it sends its entry again, which starts a queue that was lost; doubled each time. */
const SEND_AGAIN_MS = 10 * 60_000;
const MAX_SEND_AGAIN_MS = 6 * 3_600_000;

/** A run tells its landing a moment before it closes. */
const FIRST_LOOK_MS = 250;

export const LANDING_RULES: readonly Rules<LandingState, LandingEvent, LandingErrand>[] = [
  {
    judge,
    after: (state, event, now) => record(state, afterEvent(state, event, now), now),
    wakesAt,
    isIdle: ({ phase }) => phase.kind === 'merged' || phase.kind === 'abandoned',
  },
];

function wakesAt(state: LandingState): number | null {
  const { phase } = state;
  if (phase.kind === 'queued') return phase.sendAtMs;
  return phase.kind === 'opening' ? phase.lookAtMs : (ringOf(state)?.at ?? null);
}

function judge(state: LandingState, event: LandingEvent): Judgement {
  const { phase, gates } = state;
  switch (event.kind) {
    case 'land':
      return judgeLand(state, event);
    case 'decide':
      return judgeGateMessage(event.message, phase.kind === 'gated' ? openGateOf(gates) : null);
    case 'abort':
      if (phase.kind === 'merged') return refused('it has landed');
      if (phase.kind === 'abandoned') return unchanged('it is given up already');
      return accepted(
        phase.kind === 'queued'
          ? 'it is given up, unless it has landed before the queue hears of it'
          : 'it is given up',
      );
    default:
      return accepted('it is noted');
  }
}

/** What only an approval passes, since it was a person or a policy that wanted one. */
const FOR_APPROVAL: readonly LandingGate[] = ['listed', 'not_merge_ready'];

function judgeLand({ phase, base, onto, isAsked, gates }: LandingState, event: Asked): Judgement {
  if (phase.kind === 'merged') return unchanged('it has landed');
  if (phase.kind === 'gated') {
    const id = openGateOf(gates)?.id ?? 'a gate';
    if (event.isUnasked) return unchanged(`it waits at ${id}`);
    if (FOR_APPROVAL.includes(phase.reason)) return refused(`it waits at ${id}; approve that instead: ${phase.why}`);
  }
  if (phase.kind === 'gated' || phase.kind === 'abandoned' || phase.kind === 'idle')
    return accepted('it is sent to the merge queue');
  const to = base ?? onto;
  if (event.onto !== null && to !== null && event.onto !== to)
    return refused(`it is on its way to ${to}; give that up first: sluice landings drop`);
  return isAsked || event.isUnasked ? unchanged('it is on its way already') : accepted('it is on its way already');
}

type Asked = Extract<LandingEvent, { kind: 'land' }>;

function afterEvent(state: LandingState, event: LandingEvent | Tick, now: number): LandingStep {
  switch (event.kind) {
    case 'begin':
      return state.phase.kind === 'idle' ? open(state) : rest(state);
    case 'land':
      return land(state, event, now);
    case 'decide':
      return decide(state, event.message, now);
    case 'opened':
      return state.phase.kind === 'opening' ? readRun(state, event.run, now) : rest(state);
    case 'based':
      return state.phase.kind === 'opening' && state.run !== null
        ? readBase({ ...state, terms: event.base.terms }, event.base, now)
        : rest(state);
    case 'failed':
      return state.phase.kind === 'opening' ? rest(openGate(state, event, now)) : rest(state);
    case 'written':
      return rest(noteWritten(state, event.seq));
    case ENTRY_SIGNAL:
      return hear(state, event.change, now);
    case 'abort':
      return giveUp(state, event, now);
    case 'tick':
      return wake(state, now);
  }
}

function rest(state: LandingState): LandingStep {
  return { state, errands: [] };
}

function open(state: LandingState): LandingStep {
  return {
    state: { ...state, phase: { kind: 'opening', lookAtMs: null, everyMs: FIRST_LOOK_MS } },
    errands: [{ kind: 'open', workflowId: state.runId }],
  };
}

function land(state: LandingState, { onto, by, isUnasked }: Asked, now: number): LandingStep {
  const { phase } = state;
  const asked = { ...state, isAsked: state.isAsked || !isUnasked };
  if (phase.kind === 'opening' || phase.kind === 'queued') return rest(asked);
  return open({ ...passGate(asked, by, now), onto: onto ?? state.onto });
}

function decide(state: LandingState, message: GateMessage, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'gated') return rest(state);
  const decided = decideGate(state, message, now);
  if (message.name === 'approve' && message.decision === 'reject') return abandon(decided, rejectedBy(message));
  return open({ ...decided, waived: [...state.waived, phase.reason] });
}

function rejectedBy({ by, note }: Extract<GateMessage, { name: 'approve' }>): string {
  return `rejected by ${by ?? 'somebody'}${note === null ? '' : `: ${note}`}`;
}

function abandon(state: LandingState, why: string): LandingStep {
  return rest({ ...state, phase: { kind: 'abandoned', why } });
}

function wake(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind === 'queued') return sendAgain(state, phase, now);
  if (phase.kind === 'opening')
    return phase.lookAtMs === null || now < phase.lookAtMs
      ? rest(state)
      : { ...open(state), state: { ...state, phase: { ...phase, lookAtMs: null } } };
  const ring = ringOf(state);
  return ring === null || now < ring.at ? rest(state) : rest(ringGate(state, ring, now));
}

function readRun(state: LandingState, answer: RunToLand, now: number): LandingStep {
  const { runId, onto, phase } = state;
  if (answer.kind === 'open') {
    // One that nobody asked for yet is told by the run itself, which is about to close.
    if (state.isAsked || phase.kind !== 'opening')
      return rest(openGate(state, { reason: 'no_answer', why: `the run ${runId} is not closed yet` }, now));
    const everyMs = Math.min(2 * phase.everyMs, SEND_AGAIN_MS);
    return rest({ ...state, phase: { ...phase, lookAtMs: now + phase.everyMs, everyMs } });
  }
  if (answer.kind === 'none')
    return rest(openGate(state, { reason: 'no_answer', why: `the server knows no answer of the run ${runId}` }, now));
  const { outcome, verdict, source } = answer;
  if (source === null)
    return rest(openGate(state, { reason: 'nothing_left', why: `the run ${runId} changed nothing` }, now));
  const { host, repoKey } = source;
  const input = { repoKey, runId, base: onto ?? source.base.branch };
  return {
    state: { ...state, run: { outcome, verdict, source } },
    errands: [{ kind: 'findBase', workflowId: runId, host, input }],
  };
}

function readBase(state: LandingState, found: FindBaseResult, now: number): LandingStep {
  if (found.terms.landing.mode === 'off') return abandon(state, 'landing.mode is off in the policy of the run');
  if (found.kind === 'refused') return rest(openGate(state, { reason: 'no_base', why: found.why }, now));
  const based = { ...state, base: found.branch };
  const missing = missingOf(based);
  return missing === null ? enqueue(based, found.branch, now) : rest(openGate(based, missing, now));
}

/** What a person must agree to first. Source: V-42. */
function missingOf({ runId, run, terms, isAsked, waived }: LandingState): Missing | null {
  const missing: readonly (Missing | null)[] = [
    run?.outcome === 'merge_ready'
      ? null
      : { reason: 'not_merge_ready', why: `the run ${runId} ended ${run?.outcome ?? 'without an answer'}` },
    isAsked ? null : unmetNeeds(run, terms?.landing.needs ?? 'verified'),
    terms?.gates.stages.includes('landing') === true
      ? { reason: 'listed', why: 'the policy asks for a person before landing' }
      : null,
  ];
  return missing.find((one) => one !== null && !waived.includes(one.reason)) ?? null;
}

function unmetNeeds(run: RunEnd | null, needs: LandingNeeds): Missing | null {
  if (run?.verdict === 'verified') return null;
  if (needs === 'checked' && run?.source?.evidence?.outcome === 'passed') return null;
  const has = needs === 'verified' ? `the verdict ${run?.verdict ?? 'none'}` : 'no green checks of its tree';
  return { reason: 'needs', why: `landing.needs is ${needs}, and the run has ${has}` };
}

function enqueue(state: LandingState, branch: string, now: number): LandingStep {
  const { runId, self, run } = state;
  const source = run?.source ?? null;
  if (source === null) return rest(state);
  const { host, repoKey } = source;
  const queue = { repoKey, branch };
  const entries = state.entries + 1;
  const owner = self.slice(0, self.lastIndexOf('/'));
  const since = new Date(now).toISOString();
  const entry = { id: `${self}/${runId}/${entries}`, owner, runId, host, priority: 0, since };
  const times = { sendAtMs: now + SEND_AGAIN_MS, everyMs: SEND_AGAIN_MS };
  const phase: Phase = { kind: 'queued', queue, entry, heard: null, leaving: null, ...times };
  return { state: { ...state, entries, phase }, errands: [send(queue, entry)] };
}

function send(queue: QueueRef, entry: QueueEntry): LandingErrand {
  return { kind: 'enqueue', workflowId: mergeQueueId(queue), queue, entry };
}

function sendAgain(state: LandingState, phase: Queued, now: number): LandingStep {
  if (now < phase.sendAtMs) return rest(state);
  const everyMs = Math.min(2 * phase.everyMs, MAX_SEND_AGAIN_MS);
  const again = { ...phase, everyMs, sendAtMs: now + everyMs };
  return { state: { ...state, phase: again }, errands: [send(phase.queue, phase.entry), ...withdraw(phase)] };
}

/** The queue's word alone says what became of the head. */
function hear(state: LandingState, change: EntryChange, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'queued' || phase.entry.id !== change.id) return rest(state);
  if (phase.heard !== null && change.version <= phase.heard.version) return rest(state);
  if (change.state === 'merged') return rest({ ...state, phase: { kind: 'merged', commit: change.commit } });
  if (change.state !== 'exhausted' && change.state !== 'withdrawn')
    return rest({ ...state, phase: { ...phase, heard: change } });
  if (phase.leaving !== null) return abandon(state, phase.leaving);
  const missing =
    change.state === 'withdrawn'
      ? ({ reason: 'withdrawn', why: 'it was taken out of the merge queue' } as const)
      : refusedBy(change);
  return rest(openGate(state, missing, now));
}

function refusedBy({ reason, why, files }: EntryChange): Missing {
  return { reason: reason ?? 'refused', why: why ?? 'the merge queue gave no reason', files };
}

function giveUp(
  state: LandingState,
  { by, reason }: Extract<LandingEvent, { kind: 'abort' }>,
  now: number,
): LandingStep {
  const { phase } = state;
  const why = `given up${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`;
  if (phase.kind !== 'queued') return abandon(rejectGate(state, { by, note: reason }, now), why);
  const leaving = { ...phase, leaving: why };
  return { state: { ...state, phase: leaving }, errands: withdraw(leaving) };
}

type Queued = Extract<Phase, { kind: 'queued' }>;

function withdraw({ queue, entry, leaving }: Queued): readonly LandingErrand[] {
  return leaving === null ? [] : [{ kind: 'withdraw', workflowId: mergeQueueId(queue), id: entry.id }];
}
