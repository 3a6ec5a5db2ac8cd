/** The plan of a task that was made, and agreed to, before its run: the run takes it as it lies beside the task, and plans nothing itself. Source: S-37 to S-39. */
import { join } from 'node:path';
import { ONE_STEP, oneStepPlan } from '../../protocol/admission/plan-steps.js';
import { renderPlan } from '../../protocol/admission/plan-text.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Policy } from '../../protocol/run/policy.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readKeptPlan } from '../unit/kept-plan.js';
import { badInput } from '../unit/run-failures.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';

/** Where a plan is all that a run makes, it makes it again. */
export function withoutPlanning(policy: Policy): Policy {
  const stages = policy.stages.filter((stage) => stage !== 'planning');
  return stages.length === 0 ? policy : { ...policy, stages };
}

/** Idempotent. Null: it has none. Errors: BadInput where it does not lie there as it was agreed to. */
export async function takePlan(deps: HostDeps, run: RunOnHost): Promise<ArtifactRef | null> {
  const { input, repoKey } = run.record;
  const { item } = input;
  if (item?.plan === undefined) return null;
  const itemDir = join(deps.home.itemsDir(repoKey), item.id);
  const steps = item.plan === ONE_STEP ? oneStepPlan(input.task) : readKeptPlan(itemDir, item.plan);
  if (steps === null)
    throw badInput('item', `the plan of "${titleOf(input)}" is not on this host as it was agreed to; plan it again`);
  return artifactsOf(deps, run).put(renderPlan(steps), 'text/markdown');
}
