/** A project of its own with a backlog, on a real host. */
import { type BacklogOf, openBacklog } from './backlog-client.js';
import type { TestHost } from './test-host.js';
import type { RepositoryOptions, TestRepository } from './test-repository.js';

/** `config`: beside the checks and the name. */
export async function openProject(
  host: TestHost,
  project: string,
  options: RepositoryOptions = {},
): Promise<{ readonly repository: TestRepository; readonly backlog: BacklogOf }> {
  const config = `validation:\n  commands: ["grep -q changed a.txt"]\nproject:\n  name: ${project}\n${options.config ?? ''}`;
  const repository = await host.repository({ ...options, config });
  const backlog = await openBacklog(host.client, { project, repo: repository.path, host: host.hostId });
  return { repository, backlog };
}
