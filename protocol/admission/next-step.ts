/**
 * What is done next where a plan runs by its steps, one at a time: a turn, then the check of its work. A step is done once its turn ended normally, its check
 * passed and the tree was clean. What a step lost without its agent's fault costs it nothing. Pure; open runs replay it, so another decision is another
 * number of their rules. Source: S-60, S-61, S-68, S-69, S-71, S-73, S-74, S-76, S-82, S-83.
 */
import { orderSteps, type PlanStep } from './plan-steps.js';

/** `failed`: its last try failed; whether there is another, the rules say. */
export const STEP_STATUSES = ['pending', 'executing', 'done', 'failed', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

export interface StepState {
  readonly seq: number;
  readonly status: StepStatus;
  /** What an executing step waits for; its turn ended normally where that is its check. */
  readonly awaits: 'turn' | 'check';
  /** Tries that its agent failed since it was begun or resumed. */
  readonly failures: number;
}

/** Shape: in the order in which the steps run; before the first that is not finished all are, and after it none was begun. */
export interface StepsState {
  readonly steps: readonly StepState[];
}

export interface StepRules {
  /** Failures of one step after which there is another try (S-71: 1). */
  readonly retries: number;
}

export type NextWork =
  /** `retry`: its agent failed before; the prompt says how. */
  | { readonly kind: 'turn'; readonly seq: number; readonly retry: boolean }
  | { readonly kind: 'check'; readonly seq: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly seq: number };

export type WorkResult =
  /** Told before the turn is started (S-61). */
  | { readonly kind: 'began'; readonly seq: number }
  /** `lost`: by a worker, a machine, a usage limit or a person who stopped it (S-74). A turn that lasted too long failed (S-76). */
  | { readonly kind: 'turn'; readonly seq: number; readonly end: 'ended' | 'failed' | 'lost' }
  /** `isTreeClean`: after the engine's commit (S-69). */
  | { readonly kind: 'check'; readonly seq: number; readonly end: 'passed'; readonly isTreeClean: boolean }
  | { readonly kind: 'check'; readonly seq: number; readonly end: 'failed' | 'lost' };

export function startSteps(plan: readonly PlanStep[]): StepsState {
  return { steps: orderSteps(plan).map(({ seq }) => ({ seq, status: 'pending', awaits: 'turn', failures: 0 })) };
}

/** Where a person lets it go on: from the first step that is not finished, whose retries are its again (S-82, S-83). A turn that ended normally is not taken again; its check is. */
export function resumeSteps({ steps }: StepsState): StepsState {
  return {
    steps: steps.map((step) =>
      isFinished(step) ? step : { ...step, status: step.awaits === 'check' ? 'executing' : 'pending', failures: 0 },
    ),
  };
}

export function nextWork(state: StepsState, rules: StepRules): NextWork {
  const step = currentStep(state);
  if (step === undefined) return { kind: 'done' };
  const { seq, awaits, failures } = step;
  if (hasFailed(step, rules)) return { kind: 'failed', seq };
  return awaits === 'check' ? { kind: 'check', seq } : { kind: 'turn', seq, retry: failures > 0 };
}

/** A result of any other step than the current one, or of what that one does not wait for, came late or twice: it changes nothing. Nor does any after the last failure. */
export function afterWork(state: StepsState, result: WorkResult, rules: StepRules): StepsState {
  const step = currentStep(state);
  if (step === undefined || step.seq !== result.seq || hasFailed(step, rules)) return state;
  const changed = changeStep(step, result);
  if (changed === step) return state;
  return { steps: state.steps.map((one) => (one === step ? changed : one)) };
}

function changeStep(step: StepState, result: WorkResult): StepState {
  switch (result.kind) {
    case 'began':
      return step.status === 'executing' ? step : { ...step, status: 'executing' };
    case 'turn':
      if (step.status !== 'executing' || step.awaits !== 'turn' || result.end === 'lost') return step;
      return result.end === 'ended' ? { ...step, awaits: 'check' } : failStep(step);
    case 'check':
      if (step.awaits !== 'check' || result.end === 'lost') return step;
      return result.end === 'passed' && result.isTreeClean ? { ...step, status: 'done' } : failStep(step);
  }
}

function failStep(step: StepState): StepState {
  return { ...step, status: 'failed', awaits: 'turn', failures: step.failures + 1 };
}

/** For good: until a person lets it go on. */
function hasFailed({ status, failures }: StepState, { retries }: StepRules): boolean {
  return status === 'failed' && failures > retries;
}

function currentStep({ steps }: StepsState): StepState | undefined {
  return steps.find((step) => !isFinished(step));
}

function isFinished({ status }: StepState): boolean {
  return status === 'done' || status === 'skipped';
}
