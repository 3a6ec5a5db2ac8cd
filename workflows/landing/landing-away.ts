/** Trouble of a while: a host that is away, as a laptop is at night, or a forge that refuses, as with a token that ran out. Where no person is expected who could mend it, a gate would only expire, and with it the landing. Pure. */
import type { ActivityFailure } from '@temporalio/common';
import { isOutOfTime } from '../actor/away-host.js';
import type { Missing } from './landing-gates.js';
import { waitForNews } from './landing-pull.js';
import type { LandingEvent, LandingState, LandingStep } from './landing-state.js';
import { rest } from './landing-steps.js';

/** Unit: ms; from a minute in which nobody took the work to the next try. */
const HOST_LOOK_MS = 5 * 60_000;

/** Null: a person is asked. `missing`: what passes with time, or once somebody mended it elsewhere. */
export function waitForTrouble(state: LandingState, { reason, why }: Missing, now: number): LandingStep | null {
  const { phase, isAsked, attended } = state;
  const isUnattended = !isAsked && !attended;
  if (phase.kind === 'pull') {
    // What is shown already can be merged by people meanwhile.
    const isSeen = reason === 'host_away' && phase.isShown;
    return isUnattended || isSeen ? waitForNews(state, { ...phase, trouble: why }, now) : null;
  }
  if (!isUnattended) return null;
  const lookAtMs = now + HOST_LOOK_MS;
  if (phase.kind === 'opening') return rest({ ...state, phase: { ...phase, lookAtMs, trouble: why } });
  return phase.kind === 'repairing' ? rest({ ...state, phase: { ...phase, lookAtMs, trouble: why } }) : null;
}

/** Of a run, whose answer the server alone tells: a control worker that is away for a minute is waited for as a host is. */
export function missAnswer(runId: string, failure: ActivityFailure): Extract<LandingEvent, { kind: 'failed' }> {
  const why = `the server did not tell the answer of ${runId}: ${failure.cause?.message ?? failure.message}`;
  return { kind: 'failed', reason: isOutOfTime(failure) ? 'host_away' : 'no_answer', why };
}
