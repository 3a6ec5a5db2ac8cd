/** Whose backlog the tasks of a repository belong to, for what is handed in where no command line looked. Effects: none. Errors: RepositoryNotServed, BadRepository; BadConfig, NotTrusted: as a task of it would be refused. */
import { randomUUID } from 'node:crypto';
import type { FindBacklogInput, FindBacklogResult } from '../../protocol/actors/backlog.js';
import { resolveBase } from '../git/refs/resolve-base.js';
import { resolveRunPolicy } from '../policy/resolve-run-policy.js';
import { servedRepository } from '../policy/served-repository.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';

export function createFindBacklog(deps: HostDeps): (input: FindBacklogInput) => Promise<FindBacklogResult> {
  return ({ repo, base }) =>
    attend(deps, randomUUID(), async () => {
      const repository = await servedRepository(deps, repo);
      const { sha: baseSha } = await resolveBase(repository, base ?? undefined);
      const run = { task: '', repo: repository.root };
      const { policy } = await resolveRunPolicy(deps, { run, repository, baseSha });
      return { hostId: deps.hostId, project: policy.project.name ?? repository.project };
    });
}
