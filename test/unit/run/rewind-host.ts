/**
 * A host in the test's own process, with real git and a real scripted agent, whose activities the test calls in the place of the workflow.
 * Commands run without a guard; what a guard is for is shown elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import type { Fixture } from '../../../activities/agent/scripted/fixture.js';
import { createValidate } from '../../../activities/checks/validate.js';
import { createCloseRun } from '../../../activities/closing/close-run.js';
import { createOpenRun } from '../../../activities/opening/open-run.js';
import type { CommandSpec, ExitRecord, Processes, RunHooks } from '../../../activities/process/contract.js';
import { readExit, writeExit } from '../../../activities/process/marks.js';
import { createRunTurn } from '../../../activities/turn/run-turn.js';
import { Attempts } from '../../../activities/unit/attempts.js';
import type { HostDeps } from '../../../activities/unit/host-deps.js';
import { ensureHome } from '../../../config/home/home.js';
import { addRepository } from '../../../config/home/host-list.js';
import { trustConfig } from '../../../config/home/trust.js';
import { NO_QUEUE, type QueueWord } from '../../../protocol/actors/merge-queue.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type {
  CloseRunInput,
  CloseRunResult,
  JournalBatch,
  OpenRunInput,
  OpenRunResult,
  RunInput,
  RunTurnInput,
  RunTurnResult,
  TurnContext,
  ValidateInput,
  ValidateResult,
} from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { RunOutcome } from '../../../protocol/run/outcomes.js';
import type { Place } from '../../../protocol/run/place.js';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { makeRepository, type RepositoryOptions, type TestRepository } from '../../support/test-repository.js';

export interface RewindHost {
  readonly deps: HostDeps;
  readonly repository: TestRepository;
  /** The failpoint that throws, once. */
  armed: FailpointName | null;
  /** What the queue of every base says. */
  queue: QueueWord;
  openInput(runId: string, input?: Partial<RunInput>): OpenRunInput;
  open(input: OpenRunInput): Promise<OpenRunResult>;
  /** Opens a run and answers the one who drives it. */
  start(runId: string, input?: Partial<RunInput>): Promise<DrivenRun>;
  close(): void;
}

export async function aRewindHost(
  options: RepositoryOptions & { readonly fixture: Fixture; readonly config: string },
): Promise<RewindHost> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-rewind-')));
  const home = ensureHome(join(folder, 'home'));
  mkdirSync(join(folder, 'person'));
  const repository = makeRepository(folder, options);
  await addRepository(home.root, repository.path);
  await trustConfig(home.root, repository.path, repository.configText);
  const deps: HostDeps = {
    hostId: 'host-1',
    home,
    processes: withoutGuard(),
    attempts: new Attempts(),
    durability: 'process',
    failpoint: (name) => {
      if (host.armed !== name) return;
      host.armed = null;
      throw new Error(`killed at ${name}`);
    },
    environment: { PATH: process.env['PATH'], HOME: join(folder, 'person') },
    // The run is, and no landing.
    isOpen: async (_workflowId, execution) => execution !== null,
    readQueue: async () => host.queue,
    searchAttributes: false,
    scriptedEntry: [resolve('dist/activities/agent/scripted/main.js')],
  };
  const host: RewindHost = {
    deps,
    repository,
    armed: null,
    queue: NO_QUEUE,
    openInput: (runId, input = {}) => ({
      place: { runId, seq: 1, token: randomUUID() },
      run: { task: 'change a.txt', repo: repository.path, ...input },
      workflowId: runId,
      firstExecutionRunId: `chain-${runId.replace('.', '-')}`,
      startedAt: '2026-11-21T10:00:00.000Z',
    }),
    open: (input) => anAttempt().run(createOpenRun(deps), input),
    start: async (runId, input) => new DrivenRun(deps, runId, await host.open(host.openInput(runId, input))),
    close: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return host;
}

/** Calls the activities of one run as the workflow would. */
export class DrivenRun {
  context: TurnContext = {
    plan: null,
    architecture: null,
    validation: null,
    review: null,
    findings: null,
    validationOutput: null,
  };
  head: string;
  round = 0;
  private seq = 1;

  constructor(
    private readonly deps: HostDeps,
    readonly runId: string,
    readonly opened: OpenRunResult,
  ) {
    this.head = opened.resumed?.commit ?? opened.baseSha;
    this.context = opened.resumed?.context ?? this.context;
  }

  get stateDir(): string {
    return this.deps.home.stateDir(this.opened.repoKey, this.runId);
  }

  /** Forgets the places from `seq` on, as a reset of the workflow does. */
  resetTo(seq: number, head: string): void {
    this.seq = seq - 1;
    this.head = head;
  }

  turnInput(stage: TurnStage, more: Partial<RunTurnInput> = {}): RunTurnInput {
    return {
      place: this.nextPlace(),
      run: this.ref(),
      stage,
      round: this.round,
      ask: 'work',
      decisionCode: 'c0de',
      expectedHead: this.head,
      context: this.context,
      previousTurn: null,
      notes: [],
      agent: null,
      continues: null,
      accountOpening: null,
      afterOverflow: null,
      permissions: [],
      journal: this.batch(),
      ...more,
    };
  }

  async turn(stage: TurnStage): Promise<RunTurnResult> {
    const result = await this.runTurn(this.turnInput(stage));
    this.head = result.head;
    if (stage === 'planning') this.context = { ...this.context, plan: result.output };
    if (stage === 'architecting') this.context = { ...this.context, architecture: result.output };
    if (stage === 'reviewing') this.context = { ...this.context, review: result.output };
    return result;
  }

  runTurn(input: RunTurnInput): Promise<RunTurnResult> {
    return anAttempt().run(createRunTurn(this.deps), input);
  }

  validateInput(): ValidateInput {
    return {
      place: this.nextPlace(),
      run: this.ref(),
      stage: 'validating',
      checks: 'validation',
      round: this.round,
      commit: this.head,
      baseSha: this.opened.baseSha,
      journal: this.batch(),
    };
  }

  async validate(): Promise<ValidateResult> {
    const result: ValidateResult = await anAttempt().run(createValidate(this.deps), this.validateInput());
    this.context = { ...this.context, validation: result.report };
    return result;
  }

  async close(outcome: RunOutcome): Promise<CloseRunResult> {
    const about = { place: this.nextPlace(), run: this.ref(), journal: this.batch() };
    const input: CloseRunInput = { ...about, outcome, verdict: 'unverified', verdictReasons: [] };
    return anAttempt().run(createCloseRun(this.deps), input);
  }

  private nextPlace(): Place {
    this.seq += 1;
    return { runId: this.runId, seq: this.seq, token: randomUUID() };
  }

  private ref() {
    return { runId: this.runId, repoKey: this.opened.repoKey, frozen: this.opened.frozen };
  }

  private batch(): JournalBatch {
    const known = {
      runId: this.runId,
      title: 'change a.txt',
      status: 'executing',
      headSha: this.head,
      baseSha: this.opened.baseSha,
      seq: 0,
    };
    const view = {
      ...known,
      updatedAt: '2026-11-21T10:00:00.000Z',
      startedAt: '2026-11-21T10:00:00.000Z',
      waiting: null,
      resumedFrom: null,
    };
    // What people are shown of the run is not looked at here.
    return { events: [], view: { ...view, agent: null } as unknown as RunView, gates: null };
  }
}

/** Refusals are expected here; the SDK would warn of each. */
function anAttempt(): MockActivityEnvironment {
  return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
}

function withoutGuard(): Processes {
  return {
    run: async (spec, hooks) => ({
      kind: 'ended',
      exit: readExit(spec.dir) ?? (await runToEnd(spec, hooks)),
      movedAside: false,
    }),
    endGroup: async () => undefined,
    live: async () => [],
    close: async () => undefined,
  };
}

async function runToEnd(spec: CommandSpec, { prepare }: RunHooks): Promise<ExitRecord> {
  await prepare();
  const claimedAt = new Date().toISOString();
  const [stdout, stderr] = [join(spec.dir, 'stdout'), join(spec.dir, 'stderr')];
  const files = [openSync(spec.stdin ?? '/dev/null', 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')];
  const [program, ...args] = spec.argv;
  const { status } = spawnSync(program, args, { cwd: spec.cwd, env: { ...spec.env }, stdio: files });
  for (const file of files) closeSync(file);
  const { token, inputHash } = spec;
  const times = { claimedAt, startedAt: claimedAt, endedAt: new Date().toISOString() };
  const end = {
    reason: 'exited',
    exitCode: status,
    signal: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    stdout,
    stderr,
  } as const;
  const exit: ExitRecord = { token, inputHash, ranMs: 0, diskFull: false, ...times, ...end };
  writeExit(spec.dir, exit, 'process');
  return exit;
}
