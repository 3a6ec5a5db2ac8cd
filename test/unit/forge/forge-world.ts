/** A host with one closed run, whose repository lies on a fake forge of its own, and the forge activities of that host. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ForgeDeps } from '../../../activities/forge/at-forge.js';
import { createForgeActivities } from '../../../activities/forge/forge-activities.js';
import type { HostForgeActivities } from '../../../activities/index.js';
import { frozenHash, type RunOnHost } from '../../../activities/unit/run-record.js';
import type { EnsurePullInput, EnsurePullResult } from '../../../protocol/actors/forge.js';
import type {
  LandEntryResult,
  LookAtBaseInput,
  LookAtBaseResult,
  QueueRef,
  TreeEvidence,
} from '../../../protocol/actors/merge-queue.js';
import { queueName } from '../../../protocol/actors/merge-queue.js';
import { type Failpoint, type FailpointName, noFailpoint } from '../../../protocol/failpoints.js';
import type { RunResult } from '../../../protocol/messages/messages.js';
import { DEFAULT_FORGE } from '../../../protocol/run/forge-policy.js';
import { DEFAULT_LANDING, type LandingPolicy } from '../../../protocol/run/landing-policy.js';
import type { Place } from '../../../protocol/run/place.js';
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
  readonly queue: QueueRef;
  /** Of one activity, which an attempt after another has again. */
  place(): Place;
  /** The pull request of the run, ready unless it says otherwise. */
  ensure(given?: Partial<EnsurePullInput>): Promise<EnsurePullResult>;
  land(given?: {
    readonly place?: Place;
    readonly pull?: number | null;
    readonly head?: string | null;
    readonly evidence?: readonly TreeEvidence[];
  }): Promise<LandEntryResult>;
  lookAtBase(given?: { readonly watched?: LookAtBaseInput['watched'] }): Promise<LookAtBaseResult>;
  /** At its nth time from now, once. */
  dieAt(name: FailpointName, nth?: number): void;
}

function cloneOf({ state }: FakeForge): string {
  const root = join(tempFolder(), 'project');
  execFileSync('git', ['clone', '--quiet', state.bare, root]);
  return root;
}

function checksOf(commands: readonly string[]): Policy['checks'] {
  const set = { commands, timeoutMs: 60_000, baseFailures: 'fix' } as const;
  return { validation: { ...set, commands: [], onFailure: 'fix' }, landing: set };
}

const ASKPASS = resolve('dist/programs/askpass.js');

/** Nothing waits here for a second to pass. */
const NO_WAIT = { writeGapMs: 0, staleWaitMs: 1 };

interface ForgeWorldOptions {
  readonly labels?: readonly string[];
  readonly landing?: Partial<LandingPolicy>;
  /** Of the checks of what lands. */
  readonly commands?: readonly string[];
  /** Of another host, whose forge it is too. */
  readonly beside?: ForgeWorld | null;
}

export async function openForgeWorld({
  labels = [],
  landing = {},
  commands = [],
  beside = null,
}: ForgeWorldOptions = {}): Promise<ForgeWorld> {
  const forge = beside?.forge ?? (await openFakeForge(join(tempFolder(), 'forge')));
  const host = await openHost({
    ...(beside === null ? {} : { runId: 'run-2', hostId: 'host-2', root: cloneOf(forge) }),
    policy: {
      forge: { ...DEFAULT_FORGE, repo: forge.state.name, apiUrl: forge.apiUrl, labels },
      // What is told of them.
      stagePolicies: { executing: { agent: 'robot', model: 'model-1' } } as unknown as Policy['stagePolicies'],
      guardedPaths: ['.github/**'],
      notify: [],
      landing: { ...DEFAULT_LANDING, ...landing },
      checks: checksOf(commands),
      agents: {},
    },
  });
  const { run } = host;
  const { repoKey, runId, baseSha: base, repository } = run.record;
  if (beside === null)
    execFileSync('git', ['push', '--quiet', forge.state.bare, 'HEAD:refs/heads/main'], { cwd: repository.root });
  let head = await host.change({ [beside === null ? 'b.txt' : 'c.txt']: 'changed\n' });
  const frozen = frozenHash(run.stateDir);
  const readAnswer: ForgeDeps['readAnswer'] = async () => ({
    kind: 'answer',
    result: {
      source: {
        ...{ host: host.deps.hostId, repoKey, head, frozen, base: { branch: 'main', sha: base } },
        evidence: { tree: 't', checks: 'c', outcome: 'passed', at: '2026-11-21T10:00:00.000Z' },
      },
      // The rest of an answer is not read here.
    } as unknown as RunResult,
  });
  const deps: ForgeDeps = {
    ...host.deps,
    ...NO_WAIT,
    failpoint: (name) => dying.failpoint(name),
    readAnswer,
    environment: { GH_TOKEN: forge.token },
    askpassMain: ASKPASS,
  };
  const activities = createForgeActivities(deps);
  const dying = { failpoint: noFailpoint as Failpoint };
  const queue: QueueRef = { repoKey: forge.state.name, branch: 'main' };
  const owner = 'queue-1';
  let places = 0;
  const place = (): Place => {
    places += 1;
    return { runId: queueName(queue), seq: places, token: randomUUID() };
  };
  const act: ForgeWorld['act'] = (ask) => new MockActivityEnvironment().run(() => ask(activities));
  return {
    ...{ forge, host, run, deps, base, about: { repoKey, runId }, queue, place, act },
    get head() {
      return head;
    },
    ensure(given = {}) {
      const first = {
        headRunId: runId,
        head: null,
        base: 'main',
        pushed: null,
        number: null,
        isDraft: false,
        answers: [],
      };
      return act(({ ensurePull }) => ensurePull({ repoKey, runId, ...first, ...given }));
    },
    land(given = {}) {
      const { pull = 1, head: named = null, evidence = [] } = given;
      const entry = { id: `landing:first/exec/${runId}/1`, ...{ runId, repoKey, pull, head: named, anyway: false } };
      const input = { place: given.place ?? place(), queue, owner, entry, chain: null, evidence };
      return act(({ landEntry }) => landEntry(input));
    },
    lookAtBase({ watched = [] } = {}) {
      const input = { place: place(), queue, owner, chain: null, mayMove: true, watched };
      return act(({ lookAtBase }) => lookAtBase({ ...input, runId, repoKey }));
    },
    dieAt(name, nth = 1) {
      let left = nth;
      dying.failpoint = (at) => {
        if (at !== name || (left -= 1) !== 0) return;
        dying.failpoint = noFailpoint;
        throw new Error(`died at ${name}`);
      };
    },
    async change(files) {
      head = await host.change(files);
      return head;
    },
  };
}
