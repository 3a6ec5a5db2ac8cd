/** Repositories that lie on fake forges of their own, beside a host whose worker has the token of all of them. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { LandingView } from '../../../protocol/actors/landing.js';
import { landingId } from '../../../protocol/names.js';
import { landingOf } from '../landed-runs.js';
import type { TestHost } from '../test-host.js';
import type { RepositoryOptions, TestRepository } from '../test-repository.js';
import { until } from '../until.js';
import { FAKE_TOKEN, type FakeForge, openFakeForge } from './fake-forge.js';
import type { FakePull } from './forge-state.js';

/** Of a worker that may speak to them. */
export const FORGE_ENV = { GH_TOKEN: FAKE_TOKEN };

export interface ForgedRepository {
  readonly forge: FakeForge;
  readonly repository: TestRepository;
  /** The newest of the run's branch. Errors: there is none. */
  pullOf(runId: string): FakePull;
  /** What is on the base there. */
  files(): readonly string[];
}

/** `config`: beside where the forge is. Each has a name of its own, and so its own merge queue. */
export async function forgedRepository(
  host: TestHost,
  { config = '', ...options }: RepositoryOptions = {},
): Promise<ForgedRepository> {
  const name = `acme/shop-${randomUUID().slice(0, 8)}`;
  const forge = await openFakeForge(join(host.folder, 'forge'), name);
  const where = `forge: { repo: ${name}, apiUrl: "${forge.apiUrl}" }\n`;
  const repository = await host.repository({ ...options, config: `${config}${where}` });
  repository.git('push', '-q', forge.state.bare, 'main');
  return {
    forge,
    repository,
    pullOf(runId) {
      const found = forge.state.pulls.findLast(({ headBranch }) => headBranch === `sluice/${runId}`);
      if (found === undefined) throw new Error(`there is no pull request of ${runId}`);
      return found;
    },
    files: () => forge.state.git('ls-tree', '-r', '--name-only', 'main').split('\n'),
  };
}

/** A run that a person attends, until it ends well. */
export async function forgedRun(host: TestHost, { repository }: ForgedRepository, task: string): Promise<string> {
  const run = await host.startRun(repository, { task, attended: true });
  const { outcome, error } = await run.result();
  expect({ outcome, error }).toEqual({ outcome: 'merge_ready', error: null });
  return run.runId;
}

/** Once its landing is as `is` has it; it may not have begun yet. */
export async function landingWhere(
  host: TestHost,
  runId: string,
  is: (view: LandingView) => boolean,
): Promise<LandingView> {
  await until(async () => {
    const view = await landingOf(host, runId).catch(() => null);
    return view !== null && is(view);
  });
  return landingOf(host, runId);
}

/** A person says something to its landing. */
export function tellLanding(
  { client }: TestHost,
  runId: string,
  name: 'answer' | 'approve' | 'land' | 'look',
  message: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return client.workflow.getHandle(landingId(runId)).executeUpdate(name, { args: [{ by: 'ada', ...message }] });
}

/** What it was asked to do to the base, beside pushes of branches. */
export function mergesAsked({ faults }: FakeForge): number {
  return faults.came('PUT pulls/N/merge') + faults.came('Enqueue');
}
