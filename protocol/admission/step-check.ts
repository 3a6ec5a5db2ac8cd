/** What must hold of the work of a step beside that its turn ended normally. Pure. Source: S-69. */
import type { StepCheck } from '../run/execute-policy.js';
import type { ValidationOutcome } from '../run/outcomes.js';
import type { StepVerb } from './plan-steps.js';

/** Of a step that tests, the engine runs the commands itself: what an agent says of them is no evidence. Null: it is not checked. */
export function checkOfStep(verb: StepVerb, stepCheck: StepCheck): 'commands' | 'acceptance' | null {
  if (verb === 'test') return 'commands';
  return stepCheck === 'none' ? null : 'acceptance';
}

/** As checks pass for a stage, but that some must have run. */
export function passesStep(kind: ValidationOutcome['kind']): boolean {
  return kind === 'passed' || kind === 'partial' || kind === 'base_failures_ignored';
}
