/** The repository behind a path, if this host serves it. A web page or another user who can reach the server must not choose what runs where. */
import { serves } from '../../config/home/host-list.js';
import { findRepository } from '../git/refs/find-repository.js';
import type { Repository } from '../git/start/contract.js';
import type { HostDeps } from '../unit/host-deps.js';
import { repositoryNotServed, withConfigRefusals } from '../unit/run-failures.js';

/** Errors: BadRepository, RepositoryNotServed; BadConfig where the host's list cannot be read. */
export async function servedRepository(deps: Pick<HostDeps, 'home'>, path: string): Promise<Repository> {
  const repository = await findRepository(path);
  const served = await withConfigRefusals(() => serves(deps.home.root, repository.root));
  if (!served) throw repositoryNotServed(path);
  return repository;
}
