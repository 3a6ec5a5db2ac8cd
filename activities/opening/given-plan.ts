/** The plan of a task that was made, and agreed to, before its run: the run takes it as it lies beside the task. Source: S-37 to S-39. */
import { renderPlan } from '../../protocol/admission/plan-text.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import { readGivenPlan } from '../steps/given-steps.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';

/** Idempotent. Null: it has none. Errors: BadInput where it does not lie there as it was agreed to. */
export async function takePlan(deps: HostDeps, run: RunOnHost): Promise<ArtifactRef | null> {
  const plan = readGivenPlan(deps, run);
  return plan === null ? null : artifactsOf(deps, run).put(renderPlan(plan.steps), 'text/markdown');
}
