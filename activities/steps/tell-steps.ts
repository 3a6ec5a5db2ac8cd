/** steps.json of the run directory: how far each step of the plan is, for people. */
import { log } from '@temporalio/activity';
import { messageOf } from '../../config/system/error-code.js';
import type { Json } from '../../protocol/text/json.js';
import type { HostDeps } from '../unit/host-deps.js';
import { projectionOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import { readEntries, readGivenPlan } from './given-steps.js';
import { recordSteps } from './step-records.js';

/** Effects: one file, made from what the run noted of itself; one that cannot be made is left out. */
export async function tellSteps(deps: HostDeps, run: RunOnHost): Promise<void> {
  try {
    const plan = readGivenPlan(deps, run);
    if (plan === null) return;
    // Of plain fields alone.
    const steps = recordSteps(plan, readEntries(run)) as unknown as Json;
    await projectionOf(deps, run).steps({ plan: plan.hash, steps });
  } catch (error) {
    log.warn('the steps of a run cannot be shown', { runId: run.record.runId, error: messageOf(error) });
  }
}
