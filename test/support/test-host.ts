/**
 * A host of a test's own: a namespace on the shared server, a sluice home in a temp folder, and the built worker as a real process.
 * `close` ends what it started, by pid, and removes the folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { connectProcesses } from '../../activities/process/processes.js';
import { ASK_AGAIN } from '../../client/calls/ask-again.js';
import { ensureHome } from '../../config/home/home.js';
import { readOrMakeHostId } from '../../config/home/host-id.js';
import { addRepository } from '../../config/home/host-list.js';
import { trustConfig } from '../../config/home/trust.js';
import type { JournalEvent } from '../../protocol/messages/journal.js';
import type { RunInput, RunResult } from '../../protocol/messages/messages.js';
import type { RunView } from '../../protocol/messages/run-view.js';
import { RUN_WORKFLOW, STATUS_QUERY, TASK_QUEUE } from '../../protocol/names.js';
import { RedactingCodec } from '../../wire/redacting-codec.js';
import { ASK_BUSY_WORKER } from './ask-busy-worker.js';
import { SEND_AGAIN } from './send-again.js';
import { makeRepository, type RepositoryOptions, type TestRepository } from './test-repository.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORKER_MAIN = join(ROOT, 'dist/programs/worker.js');
const GUARD_MAIN = join(ROOT, 'dist/programs/guard.js');

export interface TestWorker {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The end of what it logged, at most 20 000 characters. */
  logged(): string;
  /** SIGKILL, and wait until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and wait until it is gone. */
  stop(): Promise<void>;
}

export interface TestRun {
  readonly runId: string;
  readonly handle: WorkflowHandle;
  readonly runDir: string;
  result(): Promise<RunResult>;
  view(): Promise<RunView>;
  /** None before the first flush, which comes a moment after a Query tells of them. */
  events(): JournalEvent[];
  /** Where each `state.changed` went, in order. */
  statuses(): unknown[];
  read(name: string): string;
}

export interface TestHost {
  readonly folder: string;
  readonly home: string;
  readonly hostId: string;
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  readonly env: Readonly<Record<string, string>>;
  /** Makes a repository, trusts its config and puts it on the host's list. */
  repository(options?: RepositoryOptions): Promise<TestRepository>;
  /** Waits until it polls. `main`: another entry, with failpoints. */
  startWorker(options?: { main?: string; env?: Readonly<Record<string, string>> }): Promise<TestWorker>;
  startRun(repository: TestRepository, input?: Partial<RunInput> & { runId?: string }): Promise<TestRun>;
  close(): Promise<void>;
}

export async function openTestHost(): Promise<TestHost> {
  const address = requiredEnv('SLUICE_TEST_ADDRESS');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  const home = ensureHome(join(folder, 'home')).root;
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('3 days') });
  const client = new Client({
    connection,
    namespace,
    dataConverter: { payloadCodecs: [new RedactingCodec()] },
    interceptors: { workflow: [ASK_AGAIN, ASK_BUSY_WORKER, SEND_AGAIN] },
  });
  const workers: TestWorker[] = [];
  let repositories = 0;
  mkdirSync(join(folder, 'person'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'person'),
    SLUICE_HOME: home,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
  };
  return {
    folder,
    home,
    hostId: readOrMakeHostId(home),
    address,
    namespace,
    client,
    env,
    async repository(options = {}) {
      repositories += 1;
      const place = join(folder, `r${repositories}`);
      mkdirSync(place);
      const repository = makeRepository(place, options);
      await addRepository(home, repository.path);
      await trustConfig(home, repository.path, repository.configText);
      return repository;
    },
    async startWorker(options = {}) {
      const worker = await spawnWorker(options.main ?? WORKER_MAIN, { ...env, ...options.env });
      workers.push(worker);
      return worker;
    },
    async startRun(repository, { runId = `run-${randomUUID().slice(0, 8)}`, ...input } = {}) {
      const start: RunInput = { task: 'change a.txt', repo: repository.path, ...input };
      const handle = await client.workflow.start(RUN_WORKFLOW, {
        workflowId: runId,
        taskQueue: TASK_QUEUE,
        args: [start],
      });
      return runOf(handle, join(repository.path, '.sluice/runs', runId));
    },
    async close() {
      for (const worker of workers) await worker.kill();
      await endGuard(home);
      await connection.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The run behind a handle, also one that something else started. */
export function runOf(handle: WorkflowHandle, runDir: string): TestRun {
  const journal = join(runDir, 'events.jsonl');
  const events = () =>
    (existsSync(journal) ? readFileSync(journal, 'utf8') : '')
      .split('\n')
      // What follows the last line feed is still being written.
      .slice(0, -1)
      .map((line) => JSON.parse(line) as JournalEvent);
  return {
    runId: handle.workflowId,
    handle,
    runDir,
    result: () => handle.result() as Promise<RunResult>,
    view: () => handle.query<RunView>(STATUS_QUERY),
    events,
    statuses: () => events().flatMap(({ type, data }) => (type === 'state.changed' ? [data['to']] : [])),
    read: (name) => readFileSync(join(runDir, name), 'utf8'),
  };
}

async function spawnWorker(main: string, env: Readonly<Record<string, string>>): Promise<TestWorker> {
  const child = spawn(process.execPath, [main], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk.toString()}`.slice(-20_000);
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => line.includes('"ready"') && resolve());
    void gone.then(() => reject(new Error(`the worker ended before it was ready:\n${errors}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  return {
    process: child,
    pid: child.pid ?? 0,
    logged: () => errors,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

/** Ends every command of the home's guard; the guard, idle and alone, then ends itself. */
async function endGuard(home: string): Promise<void> {
  const processes = await connectProcesses({
    home,
    orphanGraceMs: 60_000,
    durability: 'process',
    guardMain: GUARD_MAIN,
  });
  for (const { group } of await processes.live()) await processes.endGroup(group, 'aborted');
  await processes.close();
}

function requiredEnv(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: this suite runs in the jest project "server"`);
  return value;
}
