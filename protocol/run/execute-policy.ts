/** How the change of a run is made: by one turn, or by a turn for each step of the plan that somebody approved. Source: S-60, S-65, S-72, S-76. */
import type { StepVerb } from '../admission/plan-steps.js';

export const EXECUTE_UNTIL = ['once', 'steps'] as const;

/** `acceptance`: whoever verifies is asked whether the step is done. Source: S-69. */
export const STEP_CHECKS = ['acceptance', 'none'] as const;
export type StepCheck = (typeof STEP_CHECKS)[number];

/** What becomes of the commits that an agent makes itself. Source: S-67. */
export const AGENT_COMMITS = ['fold', 'keep'] as const;

export interface ExecutePolicy {
  /** `steps` counts where the task has a plan of steps; without one a run is made by one turn. */
  readonly until: (typeof EXECUTE_UNTIL)[number];
  /** Beside the agent's own model. Looked up when a step starts. */
  readonly stepModelByVerb: Readonly<Partial<Record<StepVerb, string>>>;
  readonly stepTimeoutMs: number;
  /** Of every step but those that test: these are checked by the engine's commands. */
  readonly stepCheck: StepCheck;
  /** What becomes of commits that an agent made itself. */
  readonly commits: (typeof AGENT_COMMITS)[number];
  /** What a failed step left is there for its next try. */
  readonly keepTree: boolean;
}

/** Unit: bytes of UTF-8 of the prompt of a step, so that it has as many characters at most. Source: S-63. */
export const MAX_STEP_PROMPT_BYTES = 24_000;
