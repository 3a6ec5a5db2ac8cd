/**
 * The public facade: start, watch, list, cancel runs and send them messages, on a Temporal server. It keeps no state of its own.
 * @temporalio/client is loaded by `createSluice`, never on import, so that a command which needs no server pays nothing for it.
 * A dead server is an error within `connectTimeoutMs`; calls after that carry their own deadlines, except `result`.
 */

import { randomUUID } from 'node:crypto';
import type { Client, ConnectionOptions, WorkflowHandle } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { nameOf } from '../config/system/error-code.js';
import type { CleanRunInput, CleanRunResult } from '../protocol/actors/clean.js';
import { WORKFLOW_TASK_TIMEOUT } from '../protocol/limits.js';
import type { RunInput, RunResult } from '../protocol/messages/messages.js';
import { memoOfStart, titleOf } from '../protocol/messages/run-input.js';
import type { MessageAnswer } from '../protocol/messages/run-message.js';
import type { RunDetails, RunView } from '../protocol/messages/run-view.js';
import { CLEAN_WORKFLOW, DETAILS_QUERY, RUN_WORKFLOW, STATUS_QUERY, TASK_QUEUE } from '../protocol/names.js';
import { runIdOfWorkflow } from '../protocol/run/run-id.js';
import { DATA_CONVERTER } from '../wire/data-converter.js';
import { ASK_AGAIN } from './calls/ask-again.js';
import { type BacklogCalls, backlogCalls } from './calls/backlog-calls.js';
import { type BatchCalls, batchCalls } from './calls/batch-calls.js';
import { type LandingCalls, landingCalls } from './calls/landing-calls.js';
import { type LedgerCalls, ledgerCalls } from './calls/ledger-calls.js';
import { type ListedRun, newestPerWorkflow, type RunExecution } from './calls/listed-run.js';
import { type OverviewCalls, overviewCalls } from './calls/overview-calls.js';
import { pollInPieces } from './calls/poll-in-pieces.js';
import { type QuotaCalls, quotaCalls } from './calls/quota-calls.js';
import { retryingOf } from './calls/retrying.js';
import { type MessagePort, type MessageToSend, type Sent, sendMessage } from './calls/send-message.js';
import { temporalClient, underRequestId } from './calls/temporal-client.js';

export type { ListedRun, RunExecution } from './calls/listed-run.js';
export type { MessageToSend, Sent } from './calls/send-message.js';

/** **Unit** ms. A call to a live server takes 2 to 20; this is the patience with a loaded one. */
const CALL_TIMEOUT_MS = 5_000;
/** **Unit** ms. A dead address is told within 3 s, the import of the SDK included. */
const CONNECT_TIMEOUT_MS = 2_000;
/** **Unit** ms. Source: V-67. */
const ACCEPT_WITHIN_MS = 10_000;

/** **Unit** seconds. A poll lasts a minute at most, and the server names pollers for five minutes after their death. */
const POLLER_ALIVE_S = 70;

export interface SluiceOptions {
  /** `host:port`. */
  readonly address: string;
  readonly namespace?: string;
  /** TLS, API key and headers, as @temporalio/envconfig reads them. */
  readonly connection?: Omit<ConnectionOptions, 'address' | 'connectTimeout'>;
  readonly connectTimeoutMs?: number;
  /** Must read what the workers write; by default theirs, which redacts. */
  readonly dataConverter?: DataConverter;
}

export interface StartRun {
  readonly input: RunInput;
  readonly runId: string;
  /** Asked again under the same id it is the same start. Without one it is a start of its own. */
  readonly requestId?: string;
}

export interface StartClean {
  readonly input: CleanRunInput;
  /** As of `StartRun`. */
  readonly requestId?: string;
}

export type StartedRun =
  | { readonly kind: 'started'; readonly runId: string; readonly workflowId: string }
  /** A run of this id was started before, whatever became of it. */
  | { readonly kind: 'taken'; readonly runId: string };

export interface Pollers {
  readonly workflow: number;
  readonly activity: number;
}

/** `await using` closes it at the end of its block. */
export interface Sluice
  extends BacklogCalls,
    BatchCalls,
    LandingCalls,
    LedgerCalls,
    OverviewCalls,
    QuotaCalls,
    AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  startRun(run: StartRun): Promise<StartedRun>;
  /** Waits by long poll, until `stop`. Errors: WorkflowFailedError, whose cause says why; ServiceError when the server is away for long. */
  result(workflowId: string, stop?: AbortSignal): Promise<RunResult>;
  /** Errors: QueryNotRegistered, or a deadline where no worker answers. */
  status(workflowId: string): Promise<RunView>;
  /** Errors: as of `status`. */
  details(workflowId: string): Promise<RunDetails>;
  /** **Errors** a server that does not answer; what `stop` was aborted with: then it is not known whether the run took the message. */
  send(workflowId: string, message: MessageToSend, stop?: AbortSignal): Promise<Sent>;
  /** Newest first. */
  list(limit: number): Promise<readonly ListedRun[]>;
  describe(workflowId: string): Promise<RunExecution>;
  /** Native cancellation: the run ends `aborted`. */
  cancel(workflowId: string): Promise<void>;
  /** Asks the run's host, wherever it is. Waits until it answered, or `stop`. Two that ask at once get one answer. Errors: WorkflowFailedError. */
  cleanRun(clean: StartClean, stop: AbortSignal): Promise<CleanRunResult>;
  /** Who polls a task queue now. */
  pollers(taskQueue?: string): Promise<Pollers>;
  serverVersion(): Promise<string>;
  /** Names of the namespace's own search attributes. */
  searchAttributes(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Errors: the SDK's connection error, when nobody answers in time. */
export async function createSluice(options: SluiceOptions): Promise<Sluice> {
  const { Client, Connection } = temporalClient();
  const namespace = options.namespace ?? 'default';
  const connection = Connection.lazy({
    ...options.connection,
    address: options.address,
    connectTimeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  });
  await connection.ensureConnected().catch(async (error: unknown) => {
    // Nobody else could close it, and it stays for as long as this process lives.
    await connection.close();
    throw error;
  });
  const client = new Client({
    connection,
    namespace,
    dataConverter: options.dataConverter ?? DATA_CONVERTER,
    interceptors: { workflow: [ASK_AGAIN] },
  });
  const calls = { ...runCalls(client), ...serverCalls(client, namespace), ...besideCalls(client) };
  const close = () => connection.close();
  return { address: options.address, namespace, ...calls, close, [Symbol.asyncDispose]: close };
}

function runCalls(
  client: Client,
): Pick<Sluice, 'startRun' | 'result' | 'status' | 'details' | 'send' | 'describe' | 'cancel'> {
  const handle = (workflowId: string): WorkflowHandle => client.workflow.getHandle(workflowId);
  return {
    startRun: (run) => startRun(client, run),
    async result(workflowId, stop = new AbortController().signal) {
      const answer: unknown = await pollInPieces(stop, (signal) =>
        client.withAbortSignal(signal, () => handle(workflowId).result()),
      );
      return answer as RunResult; // The workflow type `run` answers this.
    },
    status: (workflowId) => within(client, () => handle(workflowId).query<RunView>(STATUS_QUERY)),
    details: (workflowId) => within(client, () => handle(workflowId).query<RunDetails>(DETAILS_QUERY)),
    send: (workflowId, message, stop) =>
      sendMessage(messagePort(client, handle(workflowId), stop), message, {
        requestId: message.requestId ?? randomUUID(),
        stop,
      }),
    async describe(workflowId) {
      const { startTime, closeTime, status, type, raw } = await within(client, () => handle(workflowId).describe());
      return {
        runId: runIdOfWorkflow(workflowId),
        workflowId,
        type,
        execution: status.name,
        startedAt: startTime.toISOString(),
        closedAt: closeTime?.toISOString() ?? null,
        retrying: retryingOf(raw.pendingActivities ?? []),
      };
    },
    async cancel(workflowId) {
      await within(client, () => handle(workflowId).cancel());
    },
  };
}

function serverCalls(
  client: Client,
  namespace: string,
): Pick<Sluice, 'list' | 'pollers' | 'serverVersion' | 'searchAttributes'> {
  const service = client.workflowService;
  return {
    list: (limit) => within(client, () => list(client, limit)),
    async pollers(taskQueue = TASK_QUEUE) {
      // 1 and 2 are TASK_QUEUE_TYPE_WORKFLOW and _ACTIVITY.
      const ask = async (taskQueueType: 1 | 2) => {
        const answer = await service.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType });
        const since = Date.now() / 1000 - POLLER_ALIVE_S;
        return answer.pollers.filter((poller) => Number(poller.lastAccessTime?.seconds ?? 0) >= since).length;
      };
      const [workflow, activity] = await within(client, () => Promise.all([ask(1), ask(2)]));
      return { workflow, activity };
    },
    async serverVersion() {
      return (await within(client, () => service.getSystemInfo({}))).serverVersion;
    },
    async searchAttributes() {
      const answer = await within(client, () => client.connection.operatorService.listSearchAttributes({ namespace }));
      return Object.keys(answer.customAttributes);
    },
  };
}

/** Workflows beside the runs. */
function besideCalls(
  client: Client,
): BacklogCalls & BatchCalls & LandingCalls & LedgerCalls & OverviewCalls & QuotaCalls & Pick<Sluice, 'cleanRun'> {
  const call = <T>(work: () => Promise<T>): Promise<T> => within(client, work);
  return {
    ...backlogCalls(client, call),
    ...batchCalls(client, call),
    ...landingCalls(client, call),
    ...ledgerCalls(client, call),
    ...overviewCalls(client, call),
    ...quotaCalls(client, call),
    async cleanRun({ input, requestId }, stop) {
      const handle = await call(() =>
        client.workflow.start(CLEAN_WORKFLOW, {
          workflowId: `clean:${input.run.runId}`,
          taskQueue: TASK_QUEUE,
          args: [input],
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          workflowIdConflictPolicy: 'USE_EXISTING',
          staticSummary: `clean ${input.run.runId}`,
          ...underRequestId(requestId),
        }),
      );
      const answer: unknown = await pollInPieces(stop, (signal) =>
        client.withAbortSignal(signal, () => handle.result()),
      );
      return answer as CleanRunResult; // The workflow type `clean` answers this.
    },
  };
}

async function startRun(client: Client, { input, runId, requestId }: StartRun): Promise<StartedRun> {
  const { WorkflowExecutionAlreadyStartedError } = temporalClient();
  try {
    const { workflowId } = await within(client, () =>
      client.workflow.start(RUN_WORKFLOW, {
        workflowId: runId,
        taskQueue: TASK_QUEUE,
        args: [input],
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
        staticSummary: titleOf(input),
        memo: { ...memoOfStart(input) },
        ...underRequestId(requestId),
      }),
    );
    return { kind: 'started', runId, workflowId };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'taken', runId };
    throw error;
  }
}

async function list(client: Client, limit: number): Promise<readonly ListedRun[]> {
  const executions = client.workflow.list({
    query: `WorkflowType = "${RUN_WORKFLOW}"`,
    pageSize: Math.min(limit, 1000),
  });
  return newestPerWorkflow(executions, limit);
}

function messagePort(client: Client, handle: WorkflowHandle, stop = new AbortController().signal): MessagePort {
  const call = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
    client.withAbortSignal(stop, () => client.withDeadline(Date.now() + ms, work));
  return {
    async update({ name, argument }, updateId) {
      const update = await call(ACCEPT_WITHIN_MS, () =>
        handle.startUpdate<MessageAnswer, [unknown]>(name, { args: [argument], updateId, waitForStage: 'ACCEPTED' }),
      );
      return {
        answer: () =>
          call(CALL_TIMEOUT_MS, () => update.result()).catch((error: unknown) => {
            if (nameOf(error) === 'WorkflowUpdateRPCTimeoutOrCancelledError' && !stop.aborted) return null;
            throw error;
          }),
      };
    },
    signal: ({ name, argument }) => call(CALL_TIMEOUT_MS, () => handle.signal(name, argument)),
    cancel: () => call(CALL_TIMEOUT_MS, async () => void (await handle.cancel())),
    async isOpen() {
      return (await call(CALL_TIMEOUT_MS, () => handle.describe())).status.name === 'RUNNING';
    },
  };
}

function within<T>(client: Client, call: () => Promise<T>): Promise<T> {
  return client.withDeadline(Date.now() + CALL_TIMEOUT_MS, call);
}
