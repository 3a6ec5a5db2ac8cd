/** The run workflow over stub activities on the real server: for what the workflow decides, not for what a host does. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Context } from '@temporalio/activity';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { type ActivityInterceptors, NativeConnection, Worker } from '@temporalio/worker';
import type {
  AnyHostActivities,
  HostActivities,
  HostAsksActivities,
  HostChecksActivities,
  HostForgeActivities,
  HostTurnActivities,
} from '../../activities/index.js';
import { ASK_AGAIN } from '../../client/calls/ask-again.js';
import { resolvePolicy } from '../../config/resolve/resolve-policy.js';
import { runPolicyOf } from '../../config/resolve/run-policy.js';
import type { PullState } from '../../protocol/actors/forge.js';
import type { LandingTerms } from '../../protocol/actors/landing.js';
import type { BaseLook, CheckedTree } from '../../protocol/actors/merge-queue.js';
import { type Failpoint, noFailpoint } from '../../protocol/failpoints.js';
import type {
  JournalBatch,
  OpenRunInput,
  OpenRunResult,
  RunTurnInput,
  RunTurnResult,
  ValidateResult,
} from '../../protocol/messages/messages.js';
import {
  ANY_HOST_QUEUE,
  forgeQueue,
  hostAsksQueue,
  hostChecksQueue,
  hostQueue,
  hostTurnsQueue,
  RUN_WORKFLOW,
  TASK_QUEUE,
} from '../../protocol/names.js';
import { DEFAULT_LANDING } from '../../protocol/run/landing-policy.js';
import type { RunPolicy, StageAgent } from '../../protocol/run/policy.js';
import { runIdOfWorkflow } from '../../protocol/run/run-id.js';
import { forTurnStages, STAGE_LISTS, type Stage, type TurnStage } from '../../protocol/run/stages.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { createControlActivities } from '../../worker/control-activities.js';
import { ASK_BUSY_WORKER } from './ask-busy-worker.js';
import { installQuietRuntime } from './quiet-runtime.js';
import { SEND_AGAIN } from './send-again.js';
import { stubAdmit, stubComparison } from './stub-admit.js';
import { stubAsk } from './stub-ask.js';

export const BUNDLE_PATH = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
export const BASE = 'b'.repeat(40);
export const HEAD = 'c'.repeat(40);

export type Activities = AnyHostActivities &
  HostActivities &
  HostTurnActivities &
  HostChecksActivities &
  HostForgeActivities &
  HostAsksActivities;

export interface StubHost {
  readonly client: Client;
  /** Every journal batch that an activity was handed, in order. */
  readonly batches: JournalBatch[];
  /** Stages whose turn was asked for, in order. */
  readonly turns: RunTurnInput[];
  start(input: unknown, workflowId?: string): Promise<WorkflowHandle>;
  close(): Promise<void>;
}

export function stubTurn(input: RunTurnInput, part: Partial<RunTurnResult> = {}): RunTurnResult {
  return {
    outcome: { kind: 'done' },
    // What changed around a turn says nothing of the turn itself.
    said: part.outcome?.kind === 'repository_changed' ? { kind: 'done' } : null,
    head: input.stage === 'executing' && part.outcome?.kind !== 'no_change' ? HEAD : input.expectedHead,
    decision: decisionOf(input.stage),
    output: { sha256: 'a'.repeat(64), bytes: 1, mediaType: 'text/markdown' },
    rolledBack: false,
    agent: 'stub',
    exitCode: 0,
    durationMs: 1,
    observations: [],
    journalSeq: input.journal.view.seq,
    branchMoved: false,
    costMicroUsd: null,
    tokens: null,
    request: null,
    guarded: [],
    findings: null,
    started: true,
    ...part,
  };
}

export function stubOpen(
  input: OpenRunInput,
  stages: readonly Stage[] = STAGE_LISTS.full,
  policy: Partial<RunPolicy> = {},
): OpenRunResult {
  return {
    hostId: 'stub',
    repo: input.run.repo,
    repoKey: '0123456789abcdef',
    project: 'project',
    worktree: '/worktree',
    branch: `sluice/${input.place.runId}`,
    baseBranch: 'main',
    baseSha: BASE,
    runDir: '/runs',
    policy: { ...policyWith(stages), ...policy },
    searchAttributes: false,
    setupError: null,
    observations: [],
    resumed: null,
    plan: null,
    frozen: 'f'.repeat(64),
  };
}

export function stubValidation(part: Partial<ValidateResult> = {}): Omit<ValidateResult, 'journalSeq'> {
  return {
    outcome: { kind: 'passed' },
    summary: { total: 1, passed: 1, failed: 0, environment: 0 },
    tree: 'd'.repeat(40),
    checks: '9'.repeat(64),
    report: { sha256: 'e'.repeat(64), bytes: 1, mediaType: 'application/json' },
    observations: [],
    findings: null,
    output: null,
    ...part,
  };
}

/** Workers for many stub hosts: starting them costs more than a run. */
export interface StubWorkers {
  /** `overrides` replace single activities; the rest is a run in which everything goes well. */
  open(overrides?: Partial<Activities>): StubHost;
  /** What is done while nobody runs workflows: whoever does so next begins with their histories. */
  whileAway(work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** A host with workers of its own; `close` ends them. */
export async function openStubHost(overrides: Partial<Activities> = {}): Promise<StubHost> {
  const workers = await openStubWorkers();
  return { ...workers.open(overrides), close: () => workers.close() };
}

/** The server ends a run whose history has more. */
const HISTORY_BYTES = 50 * 1024 * 1024;

/** `failpoint`: of the calls that a workflow has made of the server. `servedIn`: a namespace where an engine's worker runs the workflows, instead of one of its own. */
export async function openStubWorkers({
  failpoint = noFailpoint,
  servedIn = null,
}: {
  readonly failpoint?: Failpoint;
  readonly servedIn?: string | null;
} = {}): Promise<StubWorkers> {
  const address = process.env['SLUICE_TEST_ADDRESS'] ?? '';
  const namespace = servedIn ?? `stub-${randomUUID()}`;
  // The server pages a history by what was written at once, whatever that has of bytes.
  const channelArgs = { 'grpc.max_receive_message_length': HISTORY_BYTES };
  const connection = await Connection.connect({ address, channelArgs });
  if (servedIn === null)
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('3 days'),
    });
  const native = await nativeConnection(address);
  const client = new Client({
    connection,
    namespace,
    dataConverter: { payloadCodecs: [new RedactingCodec()] },
    interceptors: { workflow: [ASK_AGAIN, ASK_BUSY_WORKER, SEND_AGAIN] },
  });
  const hosts = new Hosts();
  const shared = { connection: native, namespace };
  const createWorkflowWorker = () =>
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      workflowBundle: { codePath: BUNDLE_PATH },
      activities: { ...createControlActivities(client.workflow, failpoint) },
      // Without the failure converter of the real worker, which jest cannot require; the workflow sandbox has it in the bundle.
      dataConverter: { payloadCodecs: [new RedactingCodec()] },
    });
  const run = (worker: Worker) => ({ worker, ended: worker.run() });
  let ofWorkflows = servedIn === null ? [run(await createWorkflowWorker())] : [];
  const workers = await Promise.all(
    [
      ANY_HOST_QUEUE,
      hostQueue('stub'),
      hostTurnsQueue('stub'),
      hostAsksQueue('stub'),
      hostChecksQueue('stub'),
      forgeQueue('stub'),
    ].map((taskQueue) =>
      Worker.create({
        ...shared,
        taskQueue,
        activities: { ...hosts.activities() },
        interceptors: { activity: [beating] },
        maxHeartbeatThrottleInterval: '100ms',
      }),
    ),
  );
  const ofActivities = workers.map(run);
  const end = async (all: typeof ofActivities) => {
    for (const { worker } of all) worker.shutdown();
    await Promise.all(all.map(({ ended }) => ended));
  };
  return {
    open(overrides = {}) {
      const batches: JournalBatch[] = [];
      const turns: RunTurnInput[] = [];
      const host = recording({ ...allWell(), ...overrides }, batches, turns);
      hosts.latest = host;
      return {
        client,
        batches,
        turns,
        start(input, workflowId = `stub-${randomUUID().slice(0, 8)}`) {
          hosts.byRun.set(runIdOfWorkflow(workflowId), host);
          return client.workflow.start(RUN_WORKFLOW, { workflowId, taskQueue: TASK_QUEUE, args: [input] });
        },
        close: async () => {},
      };
    },
    async whileAway(work) {
      await end(ofWorkflows);
      ofWorkflows = [];
      await work();
      ofWorkflows = [run(await createWorkflowWorker())];
    },
    async close() {
      await end([...ofWorkflows, ...ofActivities]);
      await native.close();
      await connection.close();
    },
  };
}

/** Twice a second, as every activity of a real host: one that a test holds is no dead one, however long the machine takes. */
function beating(context: Context): ActivityInterceptors {
  return {
    inbound: {
      async execute(input, next) {
        const beat = setInterval(() => context.heartbeat(), 500);
        try {
          return await next(input);
        } finally {
          clearInterval(beat);
        }
      },
    },
  };
}

/** Hands each activity to the host that started its run, so that a run that a test left open never speaks to a later one. */
class Hosts {
  readonly byRun = new Map<string, Activities>();
  /** For runs that something else started, such as a batch. */
  latest: Activities = allWell();

  activities(): Activities {
    const of = (runId: string) => this.byRun.get(runId) ?? this.latest;
    return {
      pickHost: (input) => this.latest.pickHost(input),
      findBacklog: (input) => this.latest.findBacklog(input),
      openRun: (input) => of(input.place.runId).openRun(input),
      runTurn: (input) => of(input.place.runId).runTurn(input),
      validate: (input) => of(input.place.runId).validate(input),
      closeRun: (input) => of(input.place.runId).closeRun(input),
      flushJournal: (input) => of(input.run.runId).flushJournal(input),
      deliver: (input) => of(input.run.runId).deliver(input),
      cleanRun: (input) => of(input.run.runId).cleanRun(input),
      findBase: (input) => this.latest.findBase(input),
      findKept: (runId) => this.latest.findKept(runId),
      landEntry: (input) => this.latest.landEntry(input),
      lookAtBase: (input) => this.latest.lookAtBase(input),
      watchBase: (input) => this.latest.watchBase(input),
      checkTree: (input) => this.latest.checkTree(input),
      ensurePull: (input) => this.latest.ensurePull(input),
      lookAtPull: (input) => this.latest.lookAtPull(input),
      readRemarks: (input) => this.latest.readRemarks(input),
      leaveQueue: (input) => this.latest.leaveQueue(input),
      planRepair: (input) => this.latest.planRepair(input),
      examineRepair: (input) => this.latest.examineRepair(input),
      writeLanding: (input) => this.latest.writeLanding(input),
      admit: (input) => this.latest.admit(input),
      runAsk: (input) => this.latest.runAsk(input),
      writeQuestions: (input) => this.latest.writeQuestions(input),
      compareAgain: (input) => this.latest.compareAgain(input),
    };
  }
}

async function nativeConnection(address: string): Promise<NativeConnection> {
  installQuietRuntime();
  return NativeConnection.connect({ address });
}

function allWell(): Activities {
  return {
    pickHost: async () => ({ hostId: 'stub' }),
    findBacklog: async ({ repo }) => ({ hostId: 'stub', project: repo.slice(repo.lastIndexOf('/') + 1) }),
    openRun: async (input) => stubOpen(input),
    runTurn: async (input) => stubTurn(input),
    validate: async (input) => ({ ...stubValidation(), journalSeq: input.journal.view.seq }),
    closeRun: async (input) => ({ report: '/runs/report.md', journalSeq: input.journal.view.seq, observations: [] }),
    flushJournal: async (input) => ({ journalSeq: input.journal.view.seq }),
    deliver: async () => ({ target: 'stub' }),
    cleanRun: async () => ({ kind: 'cleaned', removed: [] }),
    // A base for each run, so that each has a queue of its own.
    findBase: async ({ runId }) => ({ kind: 'branch', branch: runId, head: null, terms: stubTerms() }),
    findKept: async () => ({ kind: 'none', why: 'the host stub has no record of it' }),
    landEntry: async () => ({ base: stubBase(HEAD), landed: { kind: 'merged', commit: HEAD } }),
    lookAtBase: async () => ({ base: stubBase(HEAD), watched: [] }),
    watchBase: async () => ({ kind: 'unwatched' }),
    checkTree: async () => ({ ...stubCheck(), outcome: 'green' }),
    ensurePull: async ({ isDraft, head }) => ({
      kind: 'pull',
      ...stubPull({ isDraft, head: head ?? HEAD }),
    }),
    lookAtPull: async () => ({ kind: 'pull', pull: stubPull() }),
    readRemarks: async () => ({ kind: 'remarks', remarks: [] }),
    leaveQueue: async () => ({ kind: 'left' }),
    planRepair: async ({ runId }) => ({ kind: 'planned', rewind: { runId, stage: 'fixing' } }),
    examineRepair: async () => ({ left: null }),
    writeLanding: async (input) => ({ journalSeq: input.journal.view.seq }),
    admit: stubAdmit(),
    runAsk: async (input) => stubAsk(input),
    writeQuestions: async () => undefined,
    compareAgain: async () => stubComparison(),
  };
}

export function stubPull(part: Partial<PullState> = {}): PullState {
  return {
    number: 7,
    url: 'https://forge.example/acme/shop/pull/7',
    state: 'open',
    isDraft: false,
    head: HEAD,
    base: 'main',
    mergeable: 'yes',
    review: 'none',
    lacksReview: false,
    queue: 'off',
    hasRules: false,
    checks: { state: 'passed', names: [] },
    mergeCommit: null,
    updatedAt: '2026-01-01T00:00:00Z',
    ...part,
  };
}

export function stubTerms(part: Partial<LandingTerms> = {}): LandingTerms {
  return {
    landing: DEFAULT_LANDING,
    gates: { stages: [], maxChangeRounds: 3, remindMs: null, escalateMs: null, expireMs: null, unattendedExpireMs: 0 },
    sinks: [],
    canFix: false,
    forge: null,
    task: 'change a.txt',
    title: 'change a.txt',
    repo: '/repository',
    branch: 'sluice/run',
    ...part,
  };
}

/** `at`: where the base stands. */
export function stubBase(at: string, part: Partial<BaseLook> = {}): BaseLook {
  return { at, contains: 0, use: null, ...part };
}

export function stubCheck(): Omit<CheckedTree, 'outcome'> {
  const [tree, checks] = ['d'.repeat(40), '9'.repeat(64)];
  return { tree, checks, at: '2026-01-01T00:00:00.000Z', why: null, isBaseRed: false };
}

function recording(activities: Activities, batches: JournalBatch[], turns: RunTurnInput[]): Activities {
  return {
    ...activities,
    runTurn: (input) => {
      batches.push(input.journal);
      turns.push(input);
      return activities.runTurn(input);
    },
    validate: (input) => {
      batches.push(input.journal);
      return activities.validate(input);
    },
    closeRun: (input) => {
      batches.push(input.journal);
      return activities.closeRun(input);
    },
    flushJournal: (input) => {
      batches.push(input.journal);
      return activities.flushJournal(input);
    },
  };
}

function decisionOf(stage: TurnStage): RunTurnResult['decision'] {
  if (stage === 'reviewing') return { kind: 'review', value: 'APPROVED' };
  return stage === 'verifying' ? { kind: 'verification', value: 'PASSED' } : null;
}

export function stubAgent(part: Partial<StageAgent> = {}): StageAgent {
  return {
    agent: 'stub',
    adapter: 'scripted',
    model: null,
    timeoutMs: 60_000,
    account: 'stub/default',
    fallback: null,
    fallbackAdapter: null,
    extendedModel: null,
    ...part,
  };
}

const { policy: RESOLVED } = resolvePolicy({ toLook: true });
const DEFAULTS = runPolicyOf(RESOLVED);

/** What a config without a word about gates comes to. */
export const GATES = DEFAULTS.gates;

function policyWith(stages: readonly Stage[]): RunPolicy {
  const agent = stubAgent();
  const checks = { validationCommands: 1, validationBudgetMs: 1_000 };
  return { ...DEFAULTS, stages, agentOf: forTurnStages(() => agent), ...checks };
}
