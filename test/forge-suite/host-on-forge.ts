/** A host with one closed run whose repository lies on a forge, a fake one or a real one, and the forge activities of that host. */
import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { ForgeDeps } from '../../activities/forge/at-forge.js';
import { createForgeActivities } from '../../activities/forge/forge-activities.js';
import type { HostForgeActivities } from '../../activities/index.js';
import { frozenHash, type RunOnHost } from '../../activities/unit/run-record.js';
import type { EnsurePullInput, EnsurePullResult } from '../../protocol/actors/forge.js';
import type {
  LandEntryResult,
  LookAtBaseInput,
  LookAtBaseResult,
  QueueRef,
  TreeEvidence,
} from '../../protocol/actors/merge-queue.js';
import { queueName } from '../../protocol/actors/merge-queue.js';
import { type Failpoint, type FailpointName, noFailpoint } from '../../protocol/failpoints.js';
import type { RunResult } from '../../protocol/messages/messages.js';
import { DEFAULT_FORGE } from '../../protocol/run/forge-policy.js';
import { DEFAULT_LANDING, type LandingPolicy } from '../../protocol/run/landing-policy.js';
import type { Place } from '../../protocol/run/place.js';
import type { Policy } from '../../protocol/run/policy.js';
import { type HostOptions, type OpenedHost, openHost } from '../unit/run/opened-host.js';

export interface HostOnForge {
  readonly host: OpenedHost;
  readonly run: RunOnHost;
  readonly deps: ForgeDeps;
  /** Of the run. */
  readonly head: string;
  /** What the run is made on. */
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

/** Where it is, and who finds its token where. */
export interface WhichForge extends Pick<ForgeDeps, 'writeGapMs' | 'staleWaitMs'> {
  readonly apiUrl: string;
  /** `owner/name`. */
  readonly repo: string;
  readonly environment: ForgeDeps['environment'];
}

export interface OnForgeOptions extends Pick<HostOptions, 'runId' | 'hostId' | 'root'> {
  /** The branch of the forge that lands. */
  readonly branch?: string;
  /** That the run changes. */
  readonly file?: string;
  readonly labels?: readonly string[];
  readonly landing?: Partial<LandingPolicy>;
  /** Of the checks of what lands. */
  readonly commands?: readonly string[];
  readonly guardedPaths?: readonly string[];
}

const ASKPASS = resolve('dist/programs/askpass.js');

function checksOf(commands: readonly string[]): Policy['checks'] {
  const set = { commands, timeoutMs: 60_000, baseFailures: 'fix' } as const;
  return { validation: { ...set, commands: [], onFailure: 'fix' }, landing: set };
}

export async function openHostOnForge(
  { apiUrl, repo, environment, ...waits }: WhichForge,
  { branch = 'main', file = 'b.txt', labels = [], landing = {}, commands = [], ...rest }: OnForgeOptions,
): Promise<HostOnForge> {
  const { guardedPaths = ['.github/**'], ...given } = rest;
  const host = await openHost({
    ...given,
    policy: {
      forge: { ...DEFAULT_FORGE, repo, apiUrl, labels },
      // What is told of them.
      stagePolicies: { executing: { agent: 'robot', model: 'model-1' } } as unknown as Policy['stagePolicies'],
      guardedPaths,
      notify: [],
      landing: { ...DEFAULT_LANDING, ...landing },
      checks: checksOf(commands),
      agents: {},
    },
  });
  const { run } = host;
  const { repoKey, runId, baseSha: base } = run.record;
  let head = await host.change({ [file]: 'changed\n' });
  const frozen = frozenHash(run.stateDir);
  const readAnswer: ForgeDeps['readAnswer'] = async () => ({
    kind: 'answer',
    owner: null,
    result: {
      source: {
        host: host.deps.hostId,
        repoKey,
        head,
        frozen,
        base: { branch, sha: base },
        evidence: { tree: 't', checks: 'c', outcome: 'passed', at: '2026-11-21T10:00:00.000Z' },
      },
      // The rest of an answer is not read here.
    } as unknown as RunResult,
  });
  const dying = { failpoint: noFailpoint as Failpoint };
  const deps: ForgeDeps = {
    ...host.deps,
    ...waits,
    failpoint: (name) => dying.failpoint(name),
    readAnswer,
    environment,
    askpassMain: ASKPASS,
  };
  const activities = createForgeActivities(deps);
  const queue: QueueRef = { repoKey: repo.toLowerCase(), branch };
  const owner = 'queue-1';
  let places = 0;
  const place = (): Place => {
    places += 1;
    return { runId: queueName(queue), seq: places, token: randomUUID() };
  };
  const act: HostOnForge['act'] = (ask) => new MockActivityEnvironment().run(() => ask(activities));
  return {
    host,
    run,
    deps,
    base,
    about: { repoKey, runId },
    queue,
    place,
    act,
    get head() {
      return head;
    },
    ensure(asked = {}) {
      const first = { headRunId: runId, head: null, base: branch, pushed: null, number: null };
      const drafts = { isDraft: false, notBefore: null, wasDraft: null, answers: [] };
      return act(({ ensurePull }) => ensurePull({ repoKey, runId, ...first, ...drafts, ...asked }));
    },
    land(asked = {}) {
      const { pull = 1, head: named = null, evidence = [] } = asked;
      const entry = { id: `landing:first/exec/${runId}/1`, runId, repoKey, pull, head: named, anyway: false };
      const input = { place: asked.place ?? place(), queue, owner, entry, chain: null, evidence };
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
