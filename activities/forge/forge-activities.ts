/** All that is asked of a forge. Loaded by the first of it, so that a host without a forge has none of this. */
import type { HostForgeActivities } from '../index.js';
import type { ForgeDeps } from './at-forge.js';
import { createEnsurePull } from './ensure-pull.js';
import { createFetchBase, createPushBase } from './forge-base.js';
import { createLookAtPull } from './look-at-pull.js';
import { createMergePull } from './merge-pull.js';

export function createForgeActivities(deps: ForgeDeps): HostForgeActivities {
  return {
    lookAtPull: createLookAtPull(deps),
    ensurePull: createEnsurePull(deps),
    mergePull: createMergePull(deps),
    fetchBase: createFetchBase(deps),
    pushBase: createPushBase(deps),
  };
}
