/** Answers which host serves a repository. Effects: none. Errors: RepositoryNotServed, retried by nobody. */
import type { PickHostInput, PickHostResult } from '../../protocol/messages/messages.js';
import { servedRepository } from '../policy/served-repository.js';
import type { HostDeps } from '../unit/host-deps.js';

export function createPickHost(deps: HostDeps): (input: PickHostInput) => Promise<PickHostResult> {
  return async ({ repo }) => {
    await servedRepository(deps, repo);
    return { hostId: deps.hostId };
  };
}
