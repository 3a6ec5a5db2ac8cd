/**
 * The one table of a landing: opening → queued → merged, or gated until a person decides, or repairing while another run makes another head of it. Pure.
 */
import { type HeadState, itemOfWorkflow } from '../../protocol/actors/item.js';
import type { LandingGate, LandingTerms, RunToLand } from '../../protocol/actors/landing.js';
import { ENTRY_SIGNAL, type EntryState } from '../../protocol/actors/merge-queue.js';
import { QUOTA_SIGNAL } from '../../protocol/actors/quota.js';
import type { GateMessage } from '../../protocol/messages/message-rows.js';
import { RUN_CHANGED_SIGNAL } from '../../protocol/names.js';
import type { Rules, Tick } from '../actor/actor.js';
import { openGateOf } from '../gates/gate-book.js';
import { judgeGateMessage } from '../gates/gate-decision.js';
import { accepted, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import { waitForTrouble } from './landing-away.js';
import type { LandingErrand } from './landing-errand.js';
import { decideGate, openGate, passGate, ringOf, wayOf } from './landing-gates.js';
import { noteWritten, record } from './landing-journal.js';
import { forgetHeld, giveUpPull, heldOf, readLeft } from './landing-leaving.js';
import { missingOf, readBase, readKept, readRun } from './landing-opening.js';
import { isPausing, judgeLook, judgePause, judgeResume, look, pause, resume } from './landing-pause.js';
import { hearGate, isWanted, lookAgain, lookAtPull, pullingOf, showPull, waitForNews } from './landing-pull.js';
import { readEnsured, readPull, readRemarks } from './landing-pull-news.js';
import { giveUp, hear, leave } from './landing-queue.js';
import {
  lookAtRepair,
  readExamined,
  readRepair,
  renameRepair,
  repairAnew,
  repairAsked,
  startRepair,
} from './landing-repair.js';
import type { LandingEvent, LandingState, LandingStep } from './landing-state.js';
import { abandon, open, rest, waitForPull } from './landing-steps.js';
import { wake } from './landing-wake.js';

export const LANDING_RULES: readonly Rules<LandingState, LandingEvent, LandingErrand>[] = [
  {
    judge,
    after: (state, event, now) => record(state, withItemTold(state, afterEvent(state, event, now)), now),
    wakesAt,
    isIdle: ({ phase }) =>
      phase.kind === 'merged' || (phase.kind === 'abandoned' && (phase.held?.tryAtMs ?? null) === null),
  },
];

/** Whose run it is goes on with what lands. */
function withItemTold(before: LandingState, step: LandingStep): LandingStep {
  const { owner, phase, runId } = step.state;
  const state = headStateOf(phase);
  // Whose it is it may learn when it is open; of a landing that nobody asked for its run has told.
  const isFirst = before.owner === null || before.phase.kind === 'idle';
  const told = isFirst ? (step.state.isAsked ? 'waiting' : 'landing') : headStateOf(before.phase);
  if (owner === null || itemOfWorkflow(owner) === null || state === told) return step;
  return { ...step, errands: [...step.errands, { kind: 'tellItem', workflowId: owner, runId, state }] };
}

/** Of an entry of the queue; where it is at neither, the engine is at it. */
const HEAD_OF_ENTRY: Partial<Record<EntryState, HeadState>> = { ready: 'ready', watched: 'waiting' };

function headStateOf(phase: LandingState['phase']): HeadState {
  switch (phase.kind) {
    case 'merged':
      return 'merged';
    case 'opening':
    case 'repairing':
      return 'landing';
    case 'queued':
      return (phase.heard === null ? undefined : HEAD_OF_ENTRY[phase.heard.state]) ?? 'landing';
    default:
      return 'waiting';
  }
}

function wakesAt(state: LandingState): number | null {
  const { phase } = state;
  if (phase.kind === 'queued') return phase.sendAtMs;
  if (phase.kind === 'opening' || phase.kind === 'repairing') return phase.lookAtMs;
  const times = [pullingOf(state)?.lookAtMs, heldOf(phase)?.tryAtMs, ringOf(state)?.at ?? null].filter(
    (time) => time != null,
  );
  return times.length === 0 ? null : Math.min(...times);
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
    case 'pause':
      return judgePause(state);
    case 'resume':
      return judgeResume(state);
    case 'look':
      return judgeLook(state);
    default:
      return accepted('it is noted');
  }
}

/** What only an approval passes, since it was a person or a policy that wanted one. */
const FOR_APPROVAL: readonly LandingGate[] = ['listed', 'not_merge_ready', 'landed_red'];

function judgeLand({ phase, base, onto, isAsked, gates }: LandingState, event: Asked): Judgement {
  if (phase.kind === 'merged') return unchanged('it has landed');
  if (phase.kind === 'gated') {
    const id = openGateOf(gates)?.id ?? 'a gate';
    if (event.isUnasked) return unchanged(`it waits at ${id}`);
    if (FOR_APPROVAL.includes(phase.reason)) return refused(`it waits at ${id}; approve that instead: ${phase.why}`);
  }
  if (phase.kind === 'paused' || isPausing(phase))
    return event.isUnasked ? unchanged('it is paused') : refused('it is paused; go on with: sluice resume');
  if (phase.kind === 'gated' || phase.kind === 'abandoned' || phase.kind === 'idle' || isToLand(phase, event))
    return accepted('it is sent to the merge queue');
  if (phase.kind === 'pull' && !event.isUnasked && (event.onto === null || event.onto === base))
    return accepted('it is merged once its pull request may be');
  const to = base ?? onto;
  if (event.onto !== null && to !== null && event.onto !== to)
    return refused(`it is on its way to ${to}; give that up first: sluice landings drop`);
  return isAsked || event.isUnasked ? unchanged('it is on its way already') : accepted('it is on its way already');
}

type Asked = Extract<LandingEvent, { kind: 'land' }>;

/** It was somebody else's to land until now. */
function isToLand(phase: LandingState['phase'], { isUnasked }: Asked): boolean {
  return phase.kind === 'queued' && phase.entry.watch && phase.leaving === null && !isUnasked;
}

function afterEvent(state: LandingState, event: LandingEvent | Tick, now: number): LandingStep {
  switch (event.kind) {
    case 'begin':
      return state.phase.kind === 'idle' ? open(state) : rest(state);
    case 'land':
      return land(state, event, now);
    case 'decide':
      return decide(state, event.message, now);
    case 'opened':
      return readOpened(state, event.run, now);
    case 'kept':
      return readKept(state, event.kept, now);
    case 'planned':
      return startRepair(state, event.plan, now);
    case 'begun':
      return event.fate === 'taken' ? renameRepair(state) : rest(state);
    case 'examined':
      return readExamined(state, event.found, now);
    case RUN_CHANGED_SIGNAL:
      return isRepairedBy(state, event.runId) ? lookAtRepair(state, true, now) : rest(state);
    case 'based':
      return state.phase.kind === 'opening' && state.run !== null
        ? readBase({ ...state, terms: termsOf(state, event.base.terms) }, event.base, now)
        : rest(state);
    case 'ensured':
    case 'pulled':
    case 'remarked':
    case 'left':
      return hearForge(state, event, now);
    case QUOTA_SIGNAL:
      return hearGate(state, event.word, now);
    case 'failed':
      return fail(state, event, now);
    case 'written':
      return rest(noteWritten(state, event.seq));
    case ENTRY_SIGNAL:
      return hear(state, event.change, now);
    case 'abort':
      return giveUp(state, event, now);
    case 'pause':
      return pause(state, event, now);
    case 'resume':
      return resume(state, now);
    case 'look':
      return look(state, now);
    case 'tick':
      return wake(state, now);
  }
}

/** On a forge a repair is shown on the branch of the first run. */
function termsOf({ terms }: LandingState, found: LandingTerms): LandingTerms {
  return found.forge === null || terms === null ? found : { ...found, branch: terms.branch };
}

type OfForge = Extract<LandingEvent, { kind: 'ensured' | 'pulled' | 'remarked' | 'left' }>;

function hearForge(state: LandingState, event: OfForge, now: number): LandingStep {
  switch (event.kind) {
    case 'ensured':
      return readEnsured(state, event.result, now);
    case 'pulled':
      return readPull(state, event.result, now);
    case 'remarked':
      return readRemarks(state, event.result, now);
    case 'left':
      return readLeft(state, event.result, now);
  }
}

function readOpened(state: LandingState, run: RunToLand, now: number): LandingStep {
  if (state.phase.kind === 'repairing') return readRepair(state, run, now);
  return state.phase.kind === 'opening' ? readRun(state, run, now) : rest(state);
}

function fail(state: LandingState, missing: Extract<LandingEvent, { kind: 'failed' }>, now: number): LandingStep {
  const { phase } = state;
  // An activity that is there retries by itself what may pass.
  const waiting = missing.reason === 'host_away' ? waitForTrouble(state, missing, now) : null;
  if (waiting !== null) return waiting;
  if (phase.kind === 'opening' || phase.kind === 'repairing' || phase.kind === 'pull')
    return rest(openGate(state, missing, now));
  // A person is asked already.
  return phase.kind === 'gated' && phase.pulling !== null ? waitForNews(state, phase.pulling, now) : rest(state);
}

function isRepairedBy({ phase }: LandingState, runId: string): boolean {
  return phase.kind === 'repairing' && phase.runId === runId;
}

function land(state: LandingState, event: Asked, now: number): LandingStep {
  const { phase } = state;
  const { onto, by, isUnasked } = event;
  const asked = { ...state, isAsked: state.isAsked || !isUnasked };
  if (phase.kind === 'queued' && isToLand(phase, event))
    return leave({ ...asked, onto: onto ?? state.onto }, phase, {
      leaving: { to: 'again', why: 'it is landed by the merge queue' },
      now,
    });
  if (phase.kind === 'pull') return wantPull(state, asked, now);
  if (phase.kind === 'opening' || phase.kind === 'queued' || phase.kind === 'repairing') return rest(asked);
  return open({ ...passGate(forgetHeld(asked), by, now), onto: onto ?? state.onto });
}

/** A person wants it on the base. What is under way finds that out. */
function wantPull(before: LandingState, asked: LandingState, now: number): LandingStep {
  const { phase, pull } = asked;
  if (phase.kind !== 'pull' || !asked.isAsked || phase.lookAtMs === null || phase.limit !== null) return rest(asked);
  // Who asks again wants to know how it stands now.
  if (isWanted(before))
    return lookAgain({ ...asked, pull: pull && { ...pull, decision: null, wasQueued: false } }, phase, now);
  const missing = missingOf(asked);
  return missing === null ? showPull(asked, { head: phase.head, now }) : rest(openGate(asked, missing, now));
}

function decide(state: LandingState, message: GateMessage, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'gated') return rest(state);
  const decided = decideGate(state, message, now);
  if (message.name === 'approve' && message.decision === 'reject')
    return abandon(decided, rejectedBy(message), giveUpPull(state));
  if (message.name === 'approve' && message.decision === 'request_changes')
    return repairAsked(decided, { text: message.note ?? '', by: message.by });
  const { by } = message;
  switch (wayOf(state, message)) {
    case 'abandon':
      return abandon(decided, `given up by ${by ?? 'somebody'}`, giveUpPull(state));
    case 'skip':
      return abandon(decided, `skipped by ${by ?? 'somebody'}`, giveUpPull(state));
    case 'fail':
      return abandon(decided, `failed by ${by ?? 'somebody'}: ${phase.why}`, giveUpPull(state));
    case 'run again':
      // Another pull request shows what it makes.
      return repairAnew({ ...decided, pull: null }, phase, by);
    case 'recreate':
      return repairAnew(decided, phase, by);
    default:
      return agree(
        { ...decided, waived: state.run === null ? state.waived : [...state.waived, phase.reason] },
        phase.reason,
        now,
      );
  }
}

/** What was seen before anything was known of the run is no reason to land it. */
function agree(state: LandingState, reason: LandingGate, now: number): LandingStep {
  if (reason !== 'landed_red' || state.pull === null) return open(state);
  // It is there: its pull request says so.
  const pulling = waitForPull({ head: null, now });
  return lookAtPull({ ...state, phase: pulling }, pulling);
}

function rejectedBy({ by, note }: Extract<GateMessage, { name: 'approve' }>): string {
  return `rejected by ${by ?? 'somebody'}${note === null ? '' : `: ${note}`}`;
}
