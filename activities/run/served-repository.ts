/** The repository behind a path, if this host serves it. A web page or another user who can reach the server must not choose what runs where. */
import { serves } from '../../config/host-list.js';
import type { Repository } from '../git/contract.js';
import { findRepository } from '../git/find-repository.js';
import type { HostDeps } from './host-deps.js';
import { repositoryNotServed } from './run-failures.js';

/** Errors: BadRepository, RepositoryNotServed. */
export async function servedRepository(deps: HostDeps, path: string): Promise<Repository> {
  const repository = await findRepository(path);
  if (!serves(deps.home.root, repository.root)) throw repositoryNotServed(path);
  return repository;
}
