/** What must hold of the work of a step beside that its turn ended normally. Pure. Source: S-69. */

import type { StepVerb } from '../admission/plan-steps.js';
import type { StepCheck } from './execute-policy.js';
import type { DecisionReading, ValidationOutcome } from './outcomes.js';

/** Of a step that tests, the engine runs the commands itself: what an agent says of them is no evidence. Null: it is not checked. */
export function checkOfStep(verb: StepVerb, stepCheck: StepCheck): 'commands' | 'acceptance' | null {
  if (verb === 'test') return 'commands';
  return stepCheck === 'none' ? null : 'acceptance';
}

/** Whoever verifies says that what the plan accepts the step by holds; anything else is a refusal. */
export function isAccepted(decision: DecisionReading | null): boolean {
  return decision?.kind === 'verification' && decision.value === 'PASSED';
}

/** One sentence. */
export function whyRefused(decision: DecisionReading | null): string {
  const said = decision?.kind === 'verification' ? decision.value : 'no readable decision';
  return `what the step is accepted by does not hold, says its verifier: ${said}`;
}

/** As checks pass for a stage, but that some must have run. */
export function passesStep(kind: ValidationOutcome['kind']): boolean {
  return kind === 'passed' || kind === 'partial' || kind === 'base_failures_ignored';
}
