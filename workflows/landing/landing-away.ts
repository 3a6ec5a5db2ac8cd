/** A host that is away for a while, as a laptop is at night. Where no person is expected who could bring it back, a gate would only expire, and with it the landing. Pure. */
import type { ActivityFailure } from '@temporalio/common';
import { isOutOfTime } from '../actor/away-host.js';
import { waitForNews } from './landing-pull.js';
import type { LandingEvent, LandingState, LandingStep } from './landing-state.js';
import { rest } from './landing-steps.js';

/** Unit: ms; from a minute in which nobody took the work to the next try. */
const HOST_LOOK_MS = 5 * 60_000;

/** Null: a person is asked. */
export function waitForHost(state: LandingState, now: number): LandingStep | null {
  const { phase, isAsked, attended } = state;
  const isUnattended = !isAsked && !attended;
  // What is shown already can be merged by people meanwhile.
  if (phase.kind === 'pull') return isUnattended || phase.isShown ? waitForNews(state, phase, now) : null;
  const isBegun = phase.kind === 'opening' || phase.kind === 'repairing';
  return isBegun && isUnattended ? rest({ ...state, phase: { ...phase, lookAtMs: now + HOST_LOOK_MS } }) : null;
}

/** Of a run, whose answer the server alone tells: a control worker that is away for a minute is waited for as a host is. */
export function missAnswer(runId: string, failure: ActivityFailure): Extract<LandingEvent, { kind: 'failed' }> {
  const why = `the server did not tell the answer of ${runId}: ${failure.cause?.message ?? failure.message}`;
  return { kind: 'failed', reason: isOutOfTime(failure) ? 'host_away' : 'no_answer', why };
}
