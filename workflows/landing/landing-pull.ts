/** A head that is shown by a pull request: making that true, and looking at it. Pure. Source: T-80, K-108. */

import type { LandingState, LandingStep, Pulling } from './landing-state.js';
import { rest } from './landing-steps.js';

/** Unit: ms. Source: T-80. */
const LOOK_EVERY_MS = 60_000;
const MAX_LOOK_EVERY_MS = 15 * 60_000;

/** Unit: ms; without news for so long it is looked at less and less. */
const QUIET_MS = 3_600_000;

/** Somebody or the policy wants it on the base; else people merge it. */
export function isWanted({ isAsked, terms }: LandingState): boolean {
  return isAsked || terms?.landing.mode === 'auto';
}

interface OfPull {
  /** What a person mended by hand; null: the head of the run's answer. */
  readonly head: string | null;
  readonly now: number;
}

export function waitForPull({ head, now }: OfPull): Pulling {
  return { kind: 'pull', head, lookAtMs: null, everyMs: LOOK_EVERY_MS, newsAtMs: now };
}

/** The head is pushed and shown, by a draft unless it is wanted. */
export function showPull(state: LandingState, { head, now }: OfPull): LandingStep {
  const { runId, headRunId, base, run, pull, pushed } = state;
  const source = run?.source ?? null;
  if (source === null || base === null) return rest(state);
  const { host, repoKey } = source;
  const input = {
    ...{ repoKey, runId, headRunId, head, base, isDraft: !isWanted(state) },
    ...{ pushed, number: pull?.number ?? null, wasDraft: pull?.isDraft ?? null },
  };
  // What was seen of it was of before.
  const unseen = pull === null ? null : { ...pull, decision: null };
  return rest({ ...state, pull: unseen, phase: waitForPull({ head, now }) }, [
    { kind: 'ensurePull', workflowId: 'forge', host, input },
  ]);
}

/** One look is enough for whatever asks for one meanwhile. */
export function lookAtPull(state: LandingState, phase: Pulling): LandingStep {
  const { runId, run, pull } = state;
  const source = run?.source ?? null;
  if (source === null || pull === null) return rest(state);
  const { host, repoKey } = source;
  const input = { repoKey, runId, number: pull.number, notBefore: pull.updatedAt };
  return rest({ ...state, phase: { ...phase, lookAtMs: null } }, [
    { kind: 'lookAtPull', workflowId: 'forge', host, input },
  ]);
}

/** It is time, or somebody rang. */
export function lookAgain(state: LandingState, phase: Pulling, now: number): LandingStep {
  // What was to be made true could not be.
  return state.pull === null ? showPull(state, { head: phase.head, now }) : lookAtPull(state, phase);
}

export function waitForNews(state: LandingState, phase: Pulling, now: number): LandingStep {
  const isQuiet = now - phase.newsAtMs >= QUIET_MS;
  const everyMs = isQuiet ? Math.min(2 * phase.everyMs, MAX_LOOK_EVERY_MS) : LOOK_EVERY_MS;
  return rest({ ...state, phase: { ...phase, everyMs, lookAtMs: now + everyMs } });
}
