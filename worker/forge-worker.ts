/**
 * The worker of one host that speaks to forges: only its activities read a forge's token. It has what they need from the first of them on; before that it is one poll.
 */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import type { HostForgeActivities } from '../activities/index.js';
import type { LandingDeps } from '../activities/landing/queue-place.js';
import { forgeQueue } from '../protocol/names.js';

/** Looks, above all: writes of one owner wait for each other anyway. */
const SLOTS = 10;

/** With the options of the other workers of the host. */
export function createForgeWorker({
  deps,
  ...shared
}: Omit<WorkerOptions, 'taskQueue'> & { readonly deps: LandingDeps }): Promise<Worker> {
  return Worker.create({
    ...shared,
    taskQueue: forgeQueue(deps.hostId),
    activities: { ...lazily(deps) },
    maxConcurrentActivityTaskExecutions: SLOTS,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
  });
}

function lazily(deps: LandingDeps): HostForgeActivities {
  const load = async () => (await import('../activities/forge/forge-activities.js')).createForgeActivities(deps);
  return {
    lookAtPull: async (input) => (await load()).lookAtPull(input),
    readRemarks: async (input) => (await load()).readRemarks(input),
    leaveQueue: async (input) => (await load()).leaveQueue(input),
    ensurePull: async (input) => (await load()).ensurePull(input),
    planRepair: async (input) => (await load()).planRepair(input),
    landEntry: async (input) => (await load()).landEntry(input),
    lookAtBase: async (input) => (await load()).lookAtBase(input),
  };
}
