/** A host with one closed run, whose repository lies on a fake forge of its own, and the forge activities of that host. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ForgeDeps } from '../../../activities/forge/at-forge.js';
import { createForgeActivities } from '../../../activities/forge/forge-activities.js';
import type { HostForgeActivities } from '../../../activities/index.js';
import { frozenHash, type RunOnHost } from '../../../activities/unit/run-record.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { DEFAULT_FORGE } from '../../../protocol/run/forge-policy.js';
import type { Policy } from '../../../protocol/run/policy.js';
import { type FakeForge, openFakeForge } from '../../support/forge/fake-forge.js';
import { tempFolder } from '../git/repository-fixture.js';
import { type OpenedHost, openHost } from '../run/opened-host.js';

export interface ForgeWorld {
  readonly forge: FakeForge;
  readonly host: OpenedHost;
  readonly run: RunOnHost;
  readonly deps: ForgeDeps;
  /** Of the run. */
  readonly head: string;
  readonly base: string;
  /** As an attempt of an activity. */
  act<T>(ask: (activities: HostForgeActivities) => Promise<T>): Promise<T>;
  /** Names the run. */
  readonly about: { readonly repoKey: string; readonly runId: string };
  /** Commits a further change of the run's, which the server answers from then on. */
  change(files: Readonly<Record<string, string>>): Promise<string>;
}

const ASKPASS = resolve('dist/programs/askpass.js');

/** Nothing waits here for a second to pass. */
const NO_WAIT = { writeGapMs: 0, staleWaitMs: 1 };

export async function openForgeWorld({ labels = [] as readonly string[] } = {}): Promise<ForgeWorld> {
  const forge = await openFakeForge(join(tempFolder(), 'forge'));
  const host = await openHost({
    policy: {
      forge: { ...DEFAULT_FORGE, repo: forge.state.name, apiUrl: forge.apiUrl, labels },
      // What is told of them.
      stagePolicies: { executing: { agent: 'robot', model: 'model-1' } } as unknown as Policy['stagePolicies'],
      guardedPaths: ['.github/**'],
      agents: {},
    },
  });
  const { run } = host;
  const { repoKey, runId, baseSha: base, repository } = run.record;
  execFileSync('git', ['push', '--quiet', forge.state.bare, 'HEAD:refs/heads/main'], { cwd: repository.root });
  let head = await host.change({ 'b.txt': 'changed\n' });
  const frozen = frozenHash(run.stateDir);
  const readAnswer: ForgeDeps['readAnswer'] = async () => ({
    kind: 'answer',
    result: {
      source: {
        ...{ host: 'host', repoKey, head, frozen, base: { branch: 'main', sha: base } },
        evidence: { tree: 't', checks: 'c', outcome: 'passed', at: '2026-11-21T10:00:00.000Z' },
      },
      // The rest of an answer is not read here.
    } as unknown as RunResult,
  });
  const deps: ForgeDeps = {
    ...host.deps,
    ...NO_WAIT,
    failpoint: noFailpoint,
    readAnswer,
    environment: { GH_TOKEN: forge.token },
    askpassMain: ASKPASS,
  };
  const activities = createForgeActivities(deps);
  return {
    ...{ forge, host, run, deps, base, about: { repoKey, runId } },
    get head() {
      return head;
    },
    act: (ask) => new MockActivityEnvironment().run(() => ask(activities)),
    async change(files) {
      head = await host.change(files);
      return head;
    },
  };
}
