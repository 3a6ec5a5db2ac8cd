/** The steps of the plan that a run was given, and how far they are: by what the run and those before it noted on this host. Source: S-38, S-39, S-82. */
import { join } from 'node:path';
import { ONE_STEP, oneStepPlan, type PlanStep } from '../../protocol/admission/plan-steps.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { StepCheck } from '../../protocol/run/execute-policy.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readKeptPlan } from '../unit/kept-plan.js';
import { badInput } from '../unit/run-failures.js';
import type { RunOnHost } from '../unit/run-record.js';
import { readProgress, type StageEntry } from '../unit/stage-progress.js';

export interface GivenPlan {
  /** Of its text, or that it is the one step of the task. */
  readonly hash: string;
  readonly steps: readonly PlanStep[];
  readonly stepCheck: StepCheck;
}

/** Null: it has none. Errors: BadInput where it does not lie there as it was agreed to. */
export function readGivenPlan({ home }: Pick<HostDeps, 'home'>, { record }: RunOnHost): GivenPlan | null {
  const { input, repoKey, policy } = record;
  const { item } = input;
  if (item?.plan === undefined) return null;
  const itemDir = join(home.itemsDir(repoKey), item.id);
  const steps = item.plan === ONE_STEP ? oneStepPlan(input.task) : readKeptPlan(itemDir, item.plan);
  if (steps === null)
    throw badInput('item', `the plan of "${titleOf(input)}" is not on this host as it was agreed to; plan it again`);
  // The record of a run that was opened before there was such a check says nothing of it.
  return { hash: item.plan, steps, stepCheck: policy.execute.stepCheck ?? 'none' };
}

/** Of the runs before it, and of itself. */
export function readEntries({ stateDir, record }: RunOnHost): readonly StageEntry[] {
  const progress = readProgress(stateDir);
  return progress === null ? (record.rewound?.inherited ?? []) : [...progress.inherited, ...progress.entries];
}
