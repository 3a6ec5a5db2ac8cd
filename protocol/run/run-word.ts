/** What a run says of itself to whoever it works for, and to lists. Pure. */
import { isDecisionStage, type Stage } from './stages.js';

/** It goes on once somebody has decided, answered or resumed it, or its account is open again: nobody works for it meanwhile. */
export const RUN_WAITS = ['approval', 'answer', 'paused', 'usage_limit'] as const;
export type RunWait = (typeof RUN_WAITS)[number];

/** Nobody works for it, and others may. Not at a usage limit: whoever started meanwhile would meet the same one, and the next, until all had. Source: S-58. */
export const FREES_SLOT: readonly string[] = ['approval', 'answer', 'paused'] satisfies readonly RunWait[];

/** `working`: its branch and worktree are there. `reviewing`: what its agent made is judged. `closed`: as the last thing before it closes, whose answer follows at once. */
export const RUN_WORDS = ['working', 'reviewing', ...RUN_WAITS, 'closed'] as const;
export type RunWord = (typeof RUN_WORDS)[number];

/** As its view and its memo have it. Null: it waits for nobody, or only for a moment. Source: S-58. */
export function waitOf(status: string | null, waiting: string | null): RunWait | null {
  return status === 'paused' ? 'paused' : (RUN_WAITS.find((wait) => wait === waiting) ?? null);
}

/** Of an open run. */
export function wordOf(stage: Stage | null, wait: RunWait | null): RunWord {
  return wait ?? (stage !== null && isDecisionStage(stage) ? 'reviewing' : 'working');
}
