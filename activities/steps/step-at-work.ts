/** The step that a turn does or a check judges, with its texts. */
import { itemOfWorkflow } from '../../protocol/actors/item.js';
import { cutText } from '../../protocol/admission/agent-text.js';
import type { PlanStep } from '../../protocol/admission/plan-steps.js';
import type { StepOfTurn } from '../../protocol/messages/run-steps.js';
import type { HostDeps } from '../unit/host-deps.js';
import { badInput } from '../unit/run-failures.js';
import type { RunOnHost } from '../unit/run-record.js';
import type { StepWork } from '../unit/stage-progress.js';
import { type GivenPlan, readGivenPlan } from './given-steps.js';

export interface StepAtWork {
  readonly plan: GivenPlan;
  readonly step: PlanStep;
}

/** Errors: BadInput where the plan is gone, or has no such step. */
export function findStep(deps: Pick<HostDeps, 'home'>, run: RunOnHost, { seq }: Pick<StepOfTurn, 'seq'>): StepAtWork {
  const plan = readGivenPlan(deps, run);
  const step = plan?.steps.find((one) => one.seq === seq);
  if (plan === null || step === undefined) throw badInput('step', `the plan of this run has no step ${seq}`);
  return { plan, step };
}

/** What is noted of it. Null: it is no work at a step. */
export function workOf(
  kind: StepWork['kind'],
  { record: { runId, input } }: RunOnHost,
  step: StepOfTurn | undefined,
): StepWork | null {
  const plan = input.item?.plan;
  if (step === undefined || plan === undefined) return null;
  return { kind, runId, plan, seq: step.seq, attempt: step.attempt };
}

/** Unit: characters; one line. */
const MAX_SUBJECT_CHARS = 100;

/** Of the step's commit. Source: S-64. */
export function subjectOf({ seq, verb, description }: PlanStep): string {
  return cutText(`step ${seq}: ${verb} ${description.replace(/\s+/g, ' ').trim()}`, MAX_SUBJECT_CHARS);
}

/** Source: S-70. */
export function trailersOf({ record }: RunOnHost, { seq, attempt }: StepOfTurn): readonly string[] {
  const { owner, item } = record.input;
  const ref = itemOfWorkflow(owner ?? '');
  const task = ref === null ? (item?.id ?? record.runId) : `${ref.project}-${ref.id}`;
  return [`Sluice-Task: ${task}`, `Sluice-Step: ${seq}`, `Sluice-Attempt: ${attempt}`];
}
