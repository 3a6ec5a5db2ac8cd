/** What a run and its host tell each other of the steps of its plan. */
import type { StepState } from '../admission/next-step.js';
import type { StepVerb } from '../admission/plan-steps.js';
import type { Place } from '../run/place.js';

/** A step of the plan as the run finds it: what an earlier run of the task finished is done. Its texts stay on the host. */
export interface OpenedStep extends StepState {
  readonly verb: StepVerb;
  /** Tries that it had in earlier runs. */
  readonly attempts: number;
  /** The turn whose conversation its next try goes on with; null: there is none. */
  readonly continues: Place | null;
}

/** Which step of its plan a turn does, or a check is of. */
export interface StepOfTurn {
  readonly seq: number;
  /** From 1, over all runs of the task. What the engine tries again by itself is the same attempt. */
  readonly attempt: number;
  /** Its agent failed at it just before: the prompt says how. */
  readonly isRetry: boolean;
}
