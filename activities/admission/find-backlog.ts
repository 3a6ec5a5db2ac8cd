/** Whose backlog the tasks of a repository belong to, for what is handed in where no command line looked. Effects: none. Errors: RepositoryNotServed, BadRepository, BadConfig. */
import type { FindBacklogInput, FindBacklogResult } from '../../protocol/actors/backlog.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import { resolveBasePolicy } from '../opening/resolve-run-policy.js';
import { servedRepository } from '../opening/served-repository.js';
import type { HostDeps } from '../unit/host-deps.js';

export function createFindBacklog(deps: HostDeps): (input: FindBacklogInput) => Promise<FindBacklogResult> {
  return async ({ repo, base }) => {
    const repository = await servedRepository(deps, repo);
    const { sha: baseSha } = await resolveBase(repository, base ?? undefined);
    const policy = await resolveBasePolicy(deps, { repository, baseSha });
    // A config that nobody trusts is refused when its tasks are taken in.
    const named = policy !== null && 'project' in policy ? policy.project.name : null;
    return { hostId: deps.hostId, project: named ?? repository.project };
  };
}
