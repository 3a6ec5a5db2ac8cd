/** What the timer of a landing brings, by where it stands. Pure. */
import { ringGate, ringOf } from './landing-gates.js';
import { giveUpPull, heldOf, leaveAgain } from './landing-leaving.js';
import { lookAgain, pullingOf } from './landing-pull.js';
import { sendAgain } from './landing-queue.js';
import { lookAtRepair } from './landing-repair.js';
import type { LandingState, LandingStep } from './landing-state.js';
import { open, rest } from './landing-steps.js';

export function wake(state: LandingState, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind === 'queued') return sendAgain(state, phase, now);
  if (phase.kind === 'repairing')
    return phase.lookAtMs === null || now < phase.lookAtMs ? rest(state) : lookAtRepair(state, phase.isClosing, now);
  if (phase.kind === 'opening')
    return phase.lookAtMs === null || now < phase.lookAtMs
      ? rest(state)
      : { ...open(state), state: { ...state, phase: { ...phase, lookAtMs: null } } };
  if (heldOf(phase) !== null) return leaveAgain(state, now);
  const ring = ringOf(state);
  if (ring !== null && now >= ring.at)
    return rest(ringGate(state, ring, now), ring.kind === 'expire' ? giveUpPull(state) : []);
  const pulling = pullingOf(state);
  return pulling === null || pulling.lookAtMs === null || now < pulling.lookAtMs
    ? rest(state)
    : lookAgain(state, pulling, now);
}
