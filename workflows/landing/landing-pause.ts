/** A landing that a person stops for a while: whatever waits for it waits on, and it goes on from where it was. What is with the queue has the queue's last word first. Pure. */
import { openGateOf } from '../gates/gate-book.js';
import { accepted, type Judgement, refused, unchanged } from '../inbox/inbox.js';
import { forgetHeld, hold } from './landing-leaving.js';
import { pullingOf, ringPull } from './landing-pull.js';
import { leave, lookNow } from './landing-queue.js';
import { lookAtRepair, renameRepair } from './landing-repair.js';
import type { LandingEvent, LandingState, LandingStep, Pulling } from './landing-state.js';
import { open, rest } from './landing-steps.js';

type Paused = Extract<LandingEvent, { kind: 'pause' }>;

export function judgePause({ phase, gates }: LandingState): Judgement {
  switch (phase.kind) {
    case 'idle':
      return refused('nobody asked for it yet');
    case 'merged':
      return refused('it has landed');
    case 'abandoned':
      return refused('it is given up');
    case 'paused':
      return refused('it is paused already');
    case 'gated':
      return refused(`it waits at ${openGateOf(gates)?.id ?? 'a gate'}, and nothing lands before that is decided`);
    case 'queued':
      if (phase.leaving?.to === 'paused') return unchanged('a pause is pending already');
      if (phase.leaving?.to === 'abandoned') return refused('it is being given up');
      return accepted('it is paused, unless it has landed before the queue hears of it');
    default:
      return accepted('it is paused');
  }
}

export function judgeResume({ phase }: LandingState): Judgement {
  if (phase.kind === 'paused') return accepted('it goes on');
  return isPausing(phase) ? accepted('the pause is taken back') : refused('nothing is paused and no pause is pending');
}

export function judgeLook({ phase }: LandingState): Judgement {
  switch (phase.kind) {
    case 'queued':
      return accepted('its base is looked at');
    case 'opening':
      return accepted('its run is looked at');
    case 'pull':
      return judgeLookAtPull(phase);
    case 'gated':
      return phase.pulling === null
        ? unchanged('it waits for nothing that a look could tell')
        : judgeLookAtPull(phase.pulling);
    case 'repairing':
      return phase.runId === null ? unchanged('its repair is about to begin') : accepted('its repair is looked at');
    default:
      return unchanged('it waits for nothing that a look could tell');
  }
}

function judgeLookAtPull({ limit, isRung }: Pulling): Judgement {
  if (limit !== null) return unchanged('its forge takes no more requests for now; see: sluice quota list');
  return isRung ? unchanged('its pull request is about to be looked at') : accepted('its pull request is looked at');
}

/** The queue was asked for its entry back, and has not answered yet. */
export function isPausing(phase: LandingState['phase']): boolean {
  return phase.kind === 'queued' && phase.leaving?.to === 'paused';
}

export function pause(state: LandingState, { by, note }: Paused, now: number): LandingStep {
  const { phase } = state;
  const why = `paused by ${by ?? 'somebody'}${note === null ? '' : `: ${note}`}`;
  if (phase.kind === 'queued') return leave(state, phase, { leaving: { to: 'paused', why }, now });
  return hold(state, { why, repair: phase.kind === 'repairing' ? phase : null });
}

export function resume(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind === 'queued') return leave(state, phase, { leaving: { to: 'again', why: 'it goes on' }, now });
  if (phase.kind !== 'paused') return rest(state);
  const { repair } = phase;
  if (repair === null) return open(forgetHeld(state));
  const repairing = { ...state, phase: repair };
  // What the host found of one that was not begun came while it was paused.
  return repair.runId === null ? renameRepair(repairing) : lookAtRepair(repairing, repair.isClosing, now);
}

export function look(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind === 'queued') return lookNow(state, phase, now);
  const pulling = pullingOf(state);
  if (pulling !== null) return ringPull(state, pulling, now);
  if (phase.kind === 'repairing') return lookAtRepair(state, phase.isClosing, now);
  return phase.kind === 'opening' ? open(state) : rest(state);
}
