/** All that is asked of a forge. Loaded by the first of it, so that a host without a forge has none of this. */
import type { HostForgeActivities } from '../index.js';
import { createLandEntry } from '../landing/land-entry.js';
import { createLookAtBase } from '../landing/look-at-base.js';
import type { ForgeDeps } from './at-forge.js';
import { createEnsurePull } from './ensure-pull.js';
import { openForgeBase } from './forge-base.js';
import { createLeaveQueue } from './leave-queue.js';
import { createLookAtPull } from './look-at-pull.js';
import { createPlanOnForge } from './plan-on-forge.js';
import { createReadRemarks } from './read-remarks.js';

export function createForgeActivities(deps: ForgeDeps): HostForgeActivities {
  const landing = { ...deps, openForgeBase: openForgeBase(deps) };
  return {
    lookAtPull: createLookAtPull(deps),
    readRemarks: createReadRemarks(deps),
    leaveQueue: createLeaveQueue(deps),
    ensurePull: createEnsurePull(deps),
    planRepair: createPlanOnForge(deps),
    landEntry: createLandEntry(landing),
    lookAtBase: createLookAtBase(landing),
  };
}
