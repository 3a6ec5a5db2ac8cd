/** What must hold of the work of a step beside that its turn ended normally. Pure. Source: S-69. */
import type { ValidationOutcome } from '../run/outcomes.js';
import type { StepVerb } from './plan-steps.js';

/** Of a step that tests, the engine runs the commands itself: what an agent says of them is no evidence. */
export function needsCommands(verb: StepVerb): boolean {
  return verb === 'test';
}

/** As checks pass for a stage, but that some must have run. */
export function passesStep(kind: ValidationOutcome['kind']): boolean {
  return kind === 'passed' || kind === 'partial' || kind === 'base_failures_ignored';
}
