/** V-126 under SIGKILL in every stage at once, and V-136 with it. Effects are counted by the agents' ledgers, git, the journal files and the process table. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { ExitRecord } from '../../../activities/process/contract.js';
import { type BenchAgent, makeAgent, VALIDATION_COMMAND } from '../../../bench/bench-agent.js';
import { NO_STUBS } from '../../../bench/cli-stubs.js';
import type { Samples } from '../../../bench/figures.js';
import { measurePlainRuns } from '../../../bench/plain-run.js';
import { CLI } from '../../support/cli-world.js';
import { guardPid } from '../../support/guard-pid.js';
import { commandLines, heldIn, letGo } from '../../support/held-stage.js';
import { livingTurns, type RunTraces, startsOf, tracesOf, turnFolders } from '../../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun, type TestWorker } from '../../support/test-host.js';
import {
  fixtureWith,
  PLAIN_FIXTURE,
  type RepositoryOptions,
  type TestRepository,
} from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;

const STAGES = ['planning', 'architecting', 'executing', 'validating', 'reviewing', 'fixing', 'verifying'] as const;
type Stage = (typeof STAGES)[number];

const FAULTS = ['worker', 'guard', 'worker and guard'] as const;
type Fault = (typeof FAULTS)[number];

const PLAIN = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];
const WITH_FIX = ['planning', 'architecting', 'executing', 'reviewing', 'fixing', 'reviewing', 'verifying'];
const turnsOf = (stage: Stage) => (stage === 'fixing' ? WITH_FIX : PLAIN);

type Counted = 'turns' | 'failedAttempts' | 'wallMs' | 'agentMs' | 'validationMs' | 'engineMs';

interface HeldRun {
  readonly stage: Stage;
  readonly run: TestRun;
  readonly repository: TestRepository;
}

/** What a held agent or command shows of itself, once somebody attends its run again. */
interface Seen {
  readonly starts: number;
  /** Of the agent; a command notes none. */
  readonly alive: boolean;
}

describe('runs that are held in every stage at once', () => {
  let host: TestHost;
  let runs: readonly HeldRun[];
  const seen = new Map<Fault, Record<Stage, Seen>>();
  let traces: ReadonlyMap<Stage, RunTraces>;
  let living: readonly number[];
  let worker: TestWorker;

  beforeAll(async () => {
    host = await openTestHost();
    settings(host, `slots: ${STAGES.length}\n`);
    worker = await host.startWorker();
    runs = await Promise.all(STAGES.map((stage) => startHeld(host, stage)));
    await until(() => runs.every((held) => startsIn(host, held) === 1));
    for (const fault of FAULTS) {
      const attempts = await Promise.all(runs.map(({ run }) => attemptOf(host, run)));
      worker = await kill(fault, host, worker);
      if (fault !== 'guard')
        await until(async () => allTrue(runs.map(({ run }, n) => attendedAfter(host, run, attempts[n] ?? 0))));
      seen.set(fault, byStage(runs.map((held) => [held.stage, look(host, held)])));
    }
    letGo(host);
    const ended = runs.map(
      async ({ stage, run, repository }) => [stage, await tracesOf({ run, repository, home: host.home })] as const,
    );
    traces = new Map(await Promise.all(ended));
    living = livingTurns(host.home);
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it.each(FAULTS)(
    'V-126: after SIGKILL of %s the agent or command at work goes on in each stage, and was started once',
    (fault) => {
      expect(seen.get(fault)).toEqual(byStage(STAGES.map((stage) => [stage, { starts: 1, alive: true }])));
    },
  );

  it.each(STAGES)(
    'V-126: after three SIGKILLs in stage %s the same execution ends, and no turn ran again',
    async (stage) => {
      const held = runs.find((one) => one.stage === stage);
      const { raw } = (await held?.run.handle.describe()) ?? {};

      expect(traces.get(stage)).toMatchObject({
        outcome: 'merge_ready',
        error: null,
        agents: turnsOf(stage).flatMap((turn) => [`${turn} START`, `${turn} END`]),
        commits: stage === 'fixing' ? 2 : 1,
      });
      expect(traces.get(stage)?.change.match(/^\+changed$/gm)).toHaveLength(1);
      expect(traces.get(stage)?.journal).toEqual(traces.get(stage === 'fixing' ? 'fixing' : 'planning')?.journal);
      expect(traces.get(stage)?.journal).not.toBe('damaged');
      expect(raw?.workflowExecutionInfo?.firstRunId).toBe(raw?.workflowExecutionInfo?.execution?.runId);
      expect(commandLines(host)).toEqual(['START', 'END']);
      expect(living).toEqual([]);
    },
  );

  it('V-136: after three SIGKILLs the metrics hold each turn and its whole time once, apart from the time of the engine', () => {
    for (const { stage, run, repository } of runs) {
      const metrics = JSON.parse(run.read('metrics.json')) as Record<Counted, number>;
      const places = turnFolders(host.home).filter((folder) => folder.includes(`/${run.runId}/`));

      expect([stage, metrics.turns, metrics.failedAttempts]).toEqual([stage, turnsOf(stage).length, 0]);
      expect([stage, metrics.agentMs]).toEqual([stage, sumOfExits(places)]);
      expect([stage, metrics.validationMs]).toEqual([stage, sumOfExits(places.map((folder) => join(folder, '1')))]);
      // From before the first kill.
      expect(metrics.agentMs).toBeGreaterThanOrEqual(atWorkMs(repository));
      expect(metrics.engineMs).toBe(metrics.wallMs - metrics.agentMs - metrics.validationMs);
      expect(metrics.engineMs).toBeGreaterThan(0);
    }
  });
});

describe('an agent whose guard, parent and worker are killed with it, and whose child goes on writing', () => {
  let host: TestHost;
  let traces: RunTraces;
  let overlap: string;
  let orphan: number;

  beforeAll(async () => {
    host = await openTestHost();
    overlap = join(host.folder, 'overlap.txt');
    const pidFile = join(host.folder, 'child.pid');
    const repository = await host.repository(withOrphan(pidFile, overlap));
    const worker = await host.startWorker();
    const run = await host.startRun(repository);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').endsWith('\n'));
    orphan = Number(readFileSync(pidFile, 'utf8'));
    const agent = agentPid(repository, 'executing');
    for (const pid of [worker.pid, guardPid(host.home), parentOf(agent), agent]) process.kill(pid, 'SIGKILL');
    await host.startWorker();
    traces = await tracesOf({ run, repository, home: host.home });
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it('V-126: that child, an orphan of SIGKILL, is ended before the agent starts again, and nothing of it is kept', () => {
    expect(existsSync(overlap)).toBe(false);
    expect(isAlive(orphan)).toBe(false);
    expect(traces).toMatchObject({ outcome: 'merge_ready', commits: 1, living: [] });
    expect(traces.change).toMatch(/^\+changed$/m);
    expect(traces.change).not.toContain('orphan');
  });

  it('V-126: the turn whose process SIGKILL took with its guard is started once more, every other turn once', () => {
    const [starts, ends] = ['START', 'END'].map((event) => traces.agents.filter((line) => line.endsWith(` ${event}`)));

    expect(starts).toEqual(
      ['planning', 'architecting', 'executing', 'executing', 'reviewing', 'verifying'].map((stage) => `${stage} START`),
    );
    expect(ends).toEqual(PLAIN.map((stage) => `${stage} END`));
  });
});

describe('a bench run whose worker is killed', () => {
  let host: TestHost;
  let agent: BenchAgent;
  let broken: unknown;
  const samples: Samples = {};

  beforeAll(async () => {
    host = await openTestHost();
    const folder = join(host.folder, 'bench');
    mkdirSync(folder);
    agent = makeAgent(folder, []);
    const program = `  bench:\n    adapter: command\n    command: [/bin/sh]\n    args: ${JSON.stringify([join(folder, 'agent.sh'), folder])}\n`;
    const stages = `stages:\n${PLAIN.map((stage) => `  ${stage}:\n    agent: bench\n`).join('')}`;
    const validation = `validation:\n  commands: [${JSON.stringify(VALIDATION_COMMAND)}]\nlimits:\n  heartbeat: 1s\n`;
    const repository = await host.repository({ config: `${program}${stages}${validation}` });
    const bench = {
      ...host,
      repository: repository.path,
      agent,
      stubs: NO_STUBS,
      cliMain: CLI,
      workerPid: () => 0,
    };
    const worker = await host.startWorker();
    agent.hold();
    const empty = { measure: async () => 1, close: async () => undefined };
    const measured = measurePlainRuns({ host: bench, empty, samples }, 2).then(
      () => null,
      (error: unknown) => error,
    );
    await until(() => agent.starts().get('bench-plain-0 planning') === 1);
    await worker.kill();
    await host.startWorker();
    rmSync(agent.holdPath);
    await host.client.workflow.getHandle('bench-plain-0').result();
    agent.hold();
    await until(() => agent.starts().get('bench-plain-1 planning') === 1);
    await host.client.workflow.getHandle('bench-plain-1').cancel();
    broken = await measured;
  }, LIMIT_MS);

  afterAll(() => host.close(), LIMIT_MS);

  it('V-136: over SIGKILL measures each turn once, with the time that the kill cost, and its agent was started once', () => {
    expect(PLAIN.map((stage) => agent.starts().get(`bench-plain-0 ${stage}`))).toEqual(PLAIN.map(() => 1));
    expect([samples['runMs'], samples['writeTurnMs'], samples['otherTurnMs']].map((list) => list?.length)).toEqual([
      1, 1, 4,
    ]);
    expect(Math.max(...(samples['otherTurnMs'] ?? []))).toBe(samples['otherTurnMs']?.[0]);
  });

  it('V-136: reports nothing of a run that came to no good end: an aborted one is an error, not a figure', () => {
    expect(broken).toBeInstanceOf(Error);
    expect(String(broken)).toContain('bench-plain-1 ended aborted');
    expect(samples['agentMs']).toHaveLength(1);
  });
});

/** The agent's child leaves its session and environment, is deaf to TERM, and writes until it is killed; the second agent notes whether it lives. */
function withOrphan(pidFile: string, overlap: string): RepositoryOptions {
  const child = `trap "" TERM HUP; echo $$ > ${pidFile}; n=0; while [ $n -lt 1200 ]; do n=$((n + 1)); echo orphan >> a.txt; sleep 0.05; done`;
  const executing = {
    text: 'Never said.',
    run: `env -i PATH="$PATH" setsid /bin/sh -c '${child}' > /dev/null 2>&1 &`,
    hang: true,
    again: {
      // A zombie has ended.
      run: `if grep '^State:' "/proc/$(cat ${pidFile})/status" 2>/dev/null | grep -qv Z; then echo overlap >> ${overlap}; fi; sleep 0.2`,
      append: { 'a.txt': 'changed\n' },
      text: 'Added a line.',
    },
  };
  const config = 'limits:\n  heartbeat: 1s\n  killGrace: 300ms\nvalidation:\n  commands: ["grep -q changed a.txt"]\n';
  return { fixture: fixtureWith({ executing }), config };
}

async function startHeld(host: TestHost, stage: Stage): Promise<HeldRun> {
  const repository = await host.repository(stage === 'fixing' ? heldInFixing(host) : heldIn(host, stage));
  return { stage, run: await host.startRun(repository), repository };
}

function heldInFixing(host: TestHost): RepositoryOptions {
  const { fixture: held, ...options } = heldIn(host, 'executing');
  const turn = [held?.stages.executing ?? []].flat()[0];
  const fixture = fixtureWith({
    reviewing: [{ text: 'Again.', decision: 'CHANGES_REQUESTED' }, PLAIN_FIXTURE.stages.reviewing],
    fixing: { ...turn, append: { 'b.txt': 'fixed\n' } },
  });
  return { ...options, fixture };
}

function settings(host: TestHost, text: string): void {
  const folder = join(host.env['HOME'] ?? '', '.config/sluice');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), text);
}

/** Answers the worker that lives afterwards, once a guard lives too. */
async function kill(fault: Fault, host: TestHost, worker: TestWorker): Promise<TestWorker> {
  const guard = guardPid(host.home);
  if (fault !== 'worker') process.kill(guard, 'SIGKILL');
  if (fault !== 'guard') await worker.kill();
  const next = fault === 'guard' ? worker : await host.startWorker();
  if (fault !== 'worker') await until(() => guardPid(host.home) !== guard);
  return next;
}

function startsIn(host: TestHost, { stage, repository }: HeldRun): number {
  return stage === 'validating'
    ? commandLines(host).filter((line) => line === 'START').length
    : startsOf(repository, stage);
}

function look(host: TestHost, held: HeldRun): Seen {
  const starts = startsIn(host, held);
  const alive =
    held.stage === 'validating' ? livingTurns(host.home).length > 0 : isAlive(agentPid(held.repository, held.stage));
  return { starts, alive };
}

function byStage(entries: readonly (readonly [Stage, Seen])[]): Record<Stage, Seen> {
  // One entry for each stage.
  return Object.fromEntries(entries) as Record<Stage, Seen>;
}

async function attemptOf(host: TestHost, run: TestRun): Promise<number> {
  return Math.max(0, ...(await pendingOf(host, run)).map(({ attempt }) => attempt));
}

/** A later attempt has heartbeat, which it does only after it began. */
async function attendedAfter(host: TestHost, run: TestRun, attempt: number): Promise<boolean> {
  return (await pendingOf(host, run)).some((one) => one.attempt > attempt && one.heartbeatMs > one.startedMs);
}

async function pendingOf(
  host: TestHost,
  run: TestRun,
): Promise<{ attempt: number; startedMs: number; heartbeatMs: number }[]> {
  const { raw } = await host.client.workflow.getHandle(run.runId).describe();
  return (raw.pendingActivities ?? []).map(({ attempt, lastStartedTime, lastHeartbeatTime }) => ({
    attempt: attempt ?? 0,
    startedMs: optionalTsToMs(lastStartedTime) ?? Number.POSITIVE_INFINITY,
    heartbeatMs: optionalTsToMs(lastHeartbeatTime) ?? 0,
  }));
}

async function allTrue(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(answers)).every(Boolean);
}

/** Of the stage's last start. */
function agentPid(repository: TestRepository, stage: string): number {
  return Number(
    readLedger(repository.ledgerPath).findLast((entry) => entry.event === 'START' && entry.stage === stage)?.pid,
  );
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function isAlive(pid: number): boolean {
  // A zombie has ended.
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** From the guard's start of each process to its end, by the guard's own clock. */
function sumOfExits(folders: readonly string[]): number {
  const exits = folders.map((folder) => join(folder, 'exit.json')).filter((path) => existsSync(path));
  return exits.reduce((sum, path) => sum + (JSON.parse(readFileSync(path, 'utf8')) as ExitRecord).ranMs, 0);
}

/** From START to END of each agent, by its own clock. */
function atWorkMs(repository: TestRepository): number {
  return readLedger(repository.ledgerPath).reduce(
    (sum, { event, at }) => sum + (event === 'END' ? 1 : -1) * Date.parse(at),
    0,
  );
}
