/** The projection and the artifact store of a run, as its record says. */
import { noFailpoint } from '../../protocol/failpoints.js';
import { type ArtifactStore, createArtifactStore } from '../journal/artifact-store.js';
import { createRunProjection, type RunProjection } from '../journal/projection.js';
import type { HostDeps } from './host-deps.js';
import type { RunOnHost } from './run-record.js';

export function projectionOf(
  deps: Pick<HostDeps, 'durability'> & Partial<Pick<HostDeps, 'failpoint'>>,
  { record }: RunOnHost,
): RunProjection {
  return createRunProjection({
    repo: record.repository.root,
    runsDir: record.policy.runsDir,
    runId: record.runId,
    fsync: deps.durability === 'power',
    failpoint: deps.failpoint ?? noFailpoint,
  });
}

export function artifactsOf(deps: Pick<HostDeps, 'home' | 'durability'>, { stateDir }: RunOnHost): ArtifactStore {
  return createArtifactStore(`${stateDir}/artifacts`, { root: deps.home.root, fsync: deps.durability === 'power' });
}
