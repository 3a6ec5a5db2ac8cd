/** A host with one opened run, in a repository and a sluice home of its own: real git, real commands, and no guard between them. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { findRepository, repoKeyOf } from '../../../activities/git/refs/find-repository.js';
import { openRunGit, type RunGit } from '../../../activities/git/run/open-run-git.js';
import { addWorktree } from '../../../activities/git/worktree/add-worktree.js';
import type { CommandSpec, ExitRecord, Processes } from '../../../activities/process/contract.js';
import { Attempts } from '../../../activities/unit/attempts.js';
import type { HostDeps } from '../../../activities/unit/host-deps.js';
import {
  claimRun,
  locateRun,
  type RunOnHost,
  type RunRecord,
  writeEnvironment,
} from '../../../activities/unit/run-record.js';
import { ensureHome } from '../../../config/home/home.js';
import { NO_QUEUE } from '../../../protocol/actors/merge-queue.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { branchOf } from '../../../protocol/names.js';
import { DEFAULT_FORGE } from '../../../protocol/run/forge-policy.js';
import { DEFAULT_LANDING } from '../../../protocol/run/landing-policy.js';
import type { Policy } from '../../../protocol/run/policy.js';
import { git, makeRepository, tempFolder } from '../git/repository-fixture.js';

export interface OpenedHost {
  readonly deps: HostDeps;
  readonly run: RunOnHost;
  readonly git: RunGit;
  /** Command lines, in the order of their starts. */
  readonly started: string[];
  /** Commits these files on the run's branch as an executing turn would; answers the commit. */
  change(files: Readonly<Record<string, string>>): Promise<string>;
  /** As an attempt of an activity. */
  act<T>(activity: () => Promise<T>): Promise<T>;
}

export interface HostOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly policy?: Partial<Policy>;
  readonly runId?: string;
  readonly hostId?: string;
  /** A repository that is there. */
  readonly root?: string;
}

export async function openHost({
  files = { 'a.txt': 'one\n' },
  policy = {},
  runId = 'run-1',
  hostId = 'host',
  root = makeRepository(files),
}: HostOptions = {}): Promise<OpenedHost> {
  const home = ensureHome(join(tempFolder(), 'home'));
  const repository = await findRepository(root);
  const repoKey = repoKeyOf(hostId, repository.commonDir);
  const record: RunRecord = {
    version: 1,
    runId,
    repoKey,
    workflowId: runId,
    firstExecutionRunId: 'chain-1',
    input: { task: 'x', repo: root },
    repository,
    worktree: home.worktree(repoKey, runId),
    branch: branchOf(runId),
    baseBranch: 'main',
    baseSha: git(root, 'rev-parse', 'HEAD').trim(),
    runDir: join(root, '.sluice/runs', runId),
    startedAt: '2026-11-21T10:00:00.000Z',
    policy: { ...POLICY, ...policy },
    trustedConfig: null,
    sandbox: { kind: 'outside', why: 'sandbox is off', expected: false },
    rewound: null,
  };
  const stateDir = home.stateDir(repoKey, runId);
  mkdirSync(stateDir, { recursive: true });
  const run = locateRun(home, record, { PATH: process.env['PATH'] ?? '' });
  claimRun(stateDir, record, 'process');
  writeEnvironment(stateDir, run.workplace.env, 'process');
  await addWorktree({ ...record, owner: record.firstExecutionRunId, path: record.worktree, formerOwner: null });
  const runGit = await openRunGit(run.workplace.git);
  await runGit.restore(record.baseSha);
  const started: string[] = [];
  const deps = {
    hostId,
    home,
    processes: directProcesses(started),
    attempts: new Attempts(),
    durability: 'process',
    failpoint: noFailpoint,
    environment: {},
    // The run is, and no landing.
    isOpen: async (_workflowId, execution) => execution !== null,
    readQueue: async () => NO_QUEUE,
    searchAttributes: false,
  } satisfies HostDeps;
  return {
    deps,
    run,
    git: runGit,
    started,
    change: (changed) => commit(record, runGit, changed),
    act: (activity) => new MockActivityEnvironment().run(activity),
  };
}

async function commit(record: RunRecord, runGit: RunGit, files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(record.worktree, name), text);
  const expectedHead = (await runGit.head()) ?? '';
  const planned = await runGit.plan({
    expectedHead,
    claimedAt: '2020-01-01T00:00:00.000Z',
    subject: 'change',
    body: '',
  });
  if (planned === null) throw new Error('nothing changed');
  await runGit.publish(planned);
  return planned.commit;
}

// What these tests reach of a policy; the rest is the config's business.
const POLICY = {
  preset: 'default',
  agents: {
    robot: {
      adapter: 'command',
      command: ['robot'],
      args: [],
      env: { ROBOT_KEY: 'of-the-robot' },
      model: null,
      fallback: null,
    },
  },
  stages: ['planning', 'architecting', 'executing', 'validating', 'reviewing', 'fixing', 'verifying'],
  worktree: { setup: [], copy: [], link: [], setupInputs: [], keep: [], setupTimeoutMs: 60_000, keptMs: null },
  checks: {
    validation: { commands: [], timeoutMs: 60_000, baseFailures: 'fix', onFailure: 'fix' },
    landing: { commands: [], timeoutMs: 60_000, baseFailures: 'fix' },
  },
  limits: {
    turnMs: 60_000,
    stallMs: 60_000,
    killGraceMs: 100,
    orphanGraceMs: 1000,
    heartbeatMs: 10_000,
    outputBytes: 1e8,
  },
  landing: DEFAULT_LANDING,
  forge: DEFAULT_FORGE,
  runsDir: '.sluice/runs',
  durability: 'process',
  rounds: 2,
  sandbox: { use: 'off', network: 'on', allow: [], home: [] },
} as unknown as Policy;

function directProcesses(started: string[]): Processes {
  return {
    run: async (spec, { prepare }) => {
      await prepare();
      started.push(spec.argv.at(-1) ?? '');
      return { kind: 'ended', exit: await exitOf(spec), movedAside: false };
    },
    endGroup: async () => undefined,
    live: async () => [],
    close: async () => undefined,
  };
}

async function exitOf(spec: CommandSpec): Promise<ExitRecord> {
  const [stdout, stderr] = [join(spec.dir, 'stdout'), join(spec.dir, 'stderr')];
  const [out, err] = [openSync(stdout, 'w'), openSync(stderr, 'w')];
  const startedAt = new Date().toISOString();
  const child = spawn(spec.argv[0], spec.argv.slice(1), {
    cwd: spec.cwd,
    env: { ...spec.env },
    stdio: ['ignore', out, err],
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  closeSync(out);
  closeSync(err);
  const { token, inputHash } = spec;
  const about = {
    token,
    inputHash,
    reason: 'exited',
    exitCode,
    signal: null,
    stdout,
    stderr,
    stdoutBytes: 0,
    stderrBytes: 0,
    ranMs: 0,
    diskFull: false,
  } as const;
  return { ...about, startedAt, claimedAt: startedAt, endedAt: new Date().toISOString() };
}
