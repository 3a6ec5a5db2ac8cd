/** Steps that every phase of a landing may end with. Pure. */
import type { QueueRef } from '../../protocol/actors/merge-queue.js';
import type { LandingErrand } from './landing-errand.js';
import type { LandingState, LandingStep } from './landing-state.js';

export function rest(state: LandingState, errands: readonly LandingErrand[] = []): LandingStep {
  return { state, errands };
}

export function abandon(state: LandingState, why: string, errands: readonly LandingErrand[] = []): LandingStep {
  return rest({ ...state, phase: { kind: 'abandoned', why, held: null } }, errands);
}

/** Of a branch of the forge, where there is one; else of the repository. */
export function queueOf({ terms }: LandingState, local: QueueRef): QueueRef {
  const forge = terms?.forge ?? null;
  return forge === null ? local : { ...local, repoKey: forge.repo };
}

/** A run tells its landing a moment before it closes. */
const FIRST_LOOK_MS = 250;

/** Unit: ms; how long a word that may be lost is waited for, doubled each time. */
export const LOOK_AGAIN_MS = 10 * 60_000;
export const MAX_LOOK_AGAIN_MS = 6 * 3_600_000;

/** From the beginning: the run is asked for. */
export function open(state: LandingState): LandingStep {
  const { runId, headRunId } = state;
  const workflowId = headRunId === runId ? state.workflowId : headRunId;
  return rest({ ...state, phase: { kind: 'opening', lookAtMs: null, everyMs: FIRST_LOOK_MS, trouble: null } }, [
    { kind: 'open', workflowId },
  ]);
}
