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
  const isRinging = ring !== null && now >= ring.at;
  if (isRinging && ring.kind === 'expire') return rest(ringGate(state, ring, now), giveUpPull(state));
  // Both may be due: a time that was left as it is would never be waited for again.
  const rung = isRinging ? ringGate(state, ring, now) : state;
  const pulling = pullingOf(rung);
  return pulling === null || pulling.lookAtMs === null || now < pulling.lookAtMs
    ? rest(rung)
    : lookAgain(rung, pulling, now);
}
