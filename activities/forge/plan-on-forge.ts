/**
 * Finds where a repair may begin of what lands on a forge: on its base as it is now, or, where the forge cannot be asked, as it was seen last.
 * Effects: objects of the base, and the ref that keeps them. Idempotency: as of `HostActivities.planRepair`.
 */
import type { PlanRepairInput, PlanRepairResult } from '../../protocol/actors/landing.js';
import { createPlanRepair, openLandingGit } from '../landing/plan-repair.js';
import { atForge, type ForgeDeps } from './at-forge.js';
import { fetchBase } from './fetch-base.js';

export function createPlanOnForge(deps: ForgeDeps): (input: PlanRepairInput) => Promise<PlanRepairResult> {
  const plan = createPlanRepair(deps);
  return async (input) => {
    const { queue } = input;
    const seen = await atForge(deps, input, async ({ run, remote }) =>
      fetchBase(await openLandingGit(run), remote, { queue, record: run.record }),
    );
    const planned = await plan(input);
    // Of a base that was never seen it knows no more.
    if (planned.kind !== 'refused' || seen.kind === 'fetched') return planned;
    return { ...planned, why: `${planned.why}; the forge was not asked: ${seen.why}` };
  };
}
