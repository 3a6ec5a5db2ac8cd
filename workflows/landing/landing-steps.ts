/** Steps that every phase of a landing may end with. Pure. */
import type { QueueRef } from '../../protocol/actors/merge-queue.js';
import { type BackOff, LOST_WORD } from '../actor/back-off.js';
import type { LandingErrand } from './landing-errand.js';
import type { LandingState, LandingStep, Phase, Pulling } from './landing-state.js';

export function rest(state: LandingState, errands: readonly LandingErrand[] = []): LandingStep {
  return { state, errands };
}

/** What the last look showed on its base is there, whoever gives it up. */
export function abandon(state: LandingState, why: string, errands: readonly LandingErrand[] = []): LandingStep {
  const seen = state.pull?.decision ?? null;
  const isThere = seen?.kind === 'merged' && seen.base === state.base && !isRedThere(state);
  const phase: Phase = isThere ? { kind: 'merged', commit: seen.commit } : { kind: 'abandoned', why, held: null };
  return rest({ ...state, phase }, errands);
}

/** The forge merged it, and its checks are red there. */
export function isRedThere({ phase }: LandingState): boolean {
  return phase.kind === 'gated' && phase.reason === 'landed_red';
}

/** Of a branch of the forge, where there is one; else of the repository. */
export function queueOf({ terms }: LandingState, local: QueueRef): QueueRef {
  const forge = terms?.forge ?? null;
  return forge === null ? local : { ...local, repoKey: forge.repo };
}

/** Of a pull request. Source: T-80. */
export const LOOK: BackOff = { firstMs: 60_000, lastMs: 15 * 60_000 };

export interface ShownHead {
  /** What a person mended by hand; null: the head of the run's answer. */
  readonly head: string | null;
  readonly now: number;
}

/** It is shown, and looked at now. */
export function waitForPull({ head, now }: ShownHead): Pulling {
  return {
    kind: 'pull',
    head,
    isShown: true,
    isRung: false,
    isBack: false,
    limit: null,
    lookAtMs: null,
    everyMs: LOOK.firstMs,
    trouble: null,
    newsAtMs: now,
  };
}

/** Of a run that is still open: it tells its landing a moment before it closes. */
export const OPENING: BackOff = { firstMs: 250, lastMs: LOST_WORD.firstMs };

/** From the beginning: the run is asked for. */
export function open(state: LandingState): LandingStep {
  const { runId, headRunId } = state;
  const workflowId = headRunId === runId ? state.workflowId : headRunId;
  return rest({ ...state, phase: { kind: 'opening', lookAtMs: null, everyMs: OPENING.firstMs, trouble: null } }, [
    { kind: 'open', workflowId },
  ]);
}
