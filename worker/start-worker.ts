/**
 * Composition root of a worker process: builds the host's dependencies and runs the control and host workers until told to stop.
 * A stop detaches from turns, it does not end them: they belong to the guard.
 */
import { Client } from '@temporalio/client';
import { NativeConnection, type NativeConnectionOptions, Runtime, type Worker } from '@temporalio/worker';
import { warmTokenRules } from '../activities/git/inspect/find-tokens.js';
import { setGitFailpoint } from '../activities/git/start/run-git.js';
import type { LandingDeps } from '../activities/landing/queue-place.js';
import type { Processes } from '../activities/process/contract.js';
import { connectProcesses } from '../activities/process/processes.js';
import { Attempts } from '../activities/unit/attempts.js';
import { ensureHome, type HomePaths, userConfigPath } from '../config/home/home.js';
import { readOrMakeHostId } from '../config/home/host-id.js';
import { type HostSettings, resolveHostSettings, type WebhookSettings } from '../config/home/host-settings.js';
import { readConfigFile } from '../config/system/config-text.js';
import { type Failpoint, noFailpoint } from '../protocol/failpoints.js';
import { DATA_CONVERTER } from '../wire/data-converter.js';
import { askServer } from './ask-server.js';
import { createControlWorker } from './control-worker.js';
import type { Doorbell } from './doorbell/open-doorbell.js';
import { createHostWorkers } from './host-workers.js';
import { ensureSearchAttributes } from './local-engine/children/search-attributes.js';
import { createLogger } from './logger.js';
import { sweepNowAndThen } from './sweep-worktrees.js';
import { type MissingEnds, writeMissingEndOf, writeMissingEnds, writeToWorkerLog } from './write-missing-ends.js';

export interface WorkerSettings {
  /** Absolute path of the sluice home. */
  readonly home: string;
  readonly address: string;
  readonly namespace: string;
  /** TLS, API key and headers, as @temporalio/envconfig reads them. */
  readonly connection?: Omit<NativeConnectionOptions, 'address'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly failpoint?: Failpoint;
  /** A guard entry with failpoints. */
  readonly guardMain?: string;
}

export interface RunningWorker {
  readonly hostId: string;
  /** Settles when every worker has stopped. Errors: the first fatal one. */
  readonly done: Promise<void>;
  /** Begins the shutdown. */
  stop(): void;
}

export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  Runtime.install({ logger: createLogger('WARN'), shutdownSignals: [] });
  const { namespace, guardMain, failpoint = noFailpoint } = settings;
  setGitFailpoint(failpoint);
  const home = ensureHome(settings.home);
  const hostId = readOrMakeHostId(home.root);
  const userPath = userConfigPath(settings.environment);
  const engine = resolveHostSettings(readConfigFile(userPath, userPath));
  const connection = await NativeConnection.connect({ ...settings.connection, address: settings.address });
  failpoint('worker.start-connected');
  const client = new Client({ connection, namespace, dataConverter: DATA_CONVERTER });
  const [processes, searchAttributes] = await Promise.all([
    connectGuard(home, engine, guardMain),
    ensureSearchAttributes(connection, namespace),
  ]);
  failpoint('worker.start-guarded');
  const deps: LandingDeps = {
    hostId,
    home,
    processes,
    failpoint,
    searchAttributes,
    attempts: new Attempts(),
    durability: engine.durability,
    environment: settings.environment,
    ...askServer(client, { closed: (workflowId) => void writeMissingEndOf(ends, workflowId), failpoint }),
  };
  const ends: MissingEnds = { deps, client, warn: writeToWorkerLog };
  const control = await createControlWorker({ connection, namespace, workflow: client.workflow, failpoint });
  const { slots, askSlots } = engine;
  const workers = [control, ...(await createHostWorkers({ connection, namespace, deps, slots, askSlots }))];
  failpoint('worker.start-created');
  const doorbell = await doorbellOf(engine.webhook, { client, environment: settings.environment });
  const done = runToEnd(workers, async () => {
    failpoint('worker.stop-drained');
    doorbell?.close();
    void sweeping.then((endSweeping) => endSweeping());
    await processes.close();
    await connection.close();
    failpoint('worker.stop-closed');
  });
  // A run whose end was missing is closed from then on, and no sooner.
  const sweeping = writeMissingEnds(ends).then(() => sweepNowAndThen({ deps, warn: writeToWorkerLog }));
  // Loading them costs some 35 ms that the first write turn would pay.
  void warmTokenRules();
  const stop = () => {
    failpoint('worker.stop-begun');
    stopAll(workers);
  };
  return { hostId, done, stop };
}

function connectGuard(
  home: HomePaths,
  { orphanGraceMs, durability }: HostSettings,
  guardMain: WorkerSettings['guardMain'],
): Promise<Processes> {
  return connectProcesses({
    home: home.root,
    orphanGraceMs,
    durability,
    ...(guardMain === undefined ? {} : { guardMain }),
  });
}

/** Loaded where a forge may ring. */
async function doorbellOf(
  webhook: WebhookSettings | null,
  { client, environment }: { readonly client: Client; readonly environment: WorkerSettings['environment'] },
): Promise<Doorbell | null> {
  if (webhook === null) return null;
  const { openDoorbell } = await import('./doorbell/open-doorbell.js');
  return openDoorbell({ ...webhook, environment, workflow: client.workflow, warn: writeToWorkerLog });
}

/** One worker that fails takes the others along: a host that serves half of its queues would strand runs. */
async function runToEnd(workers: readonly Worker[], close: () => Promise<void>): Promise<void> {
  const running = workers.map((worker) => worker.run());
  const failed = await Promise.all(running).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  stopAll(workers);
  await Promise.allSettled(running);
  if (failed === null) return close();
  // Whoever reads why it ended is to read of the first failure, not of what that left open.
  await close().catch((error: unknown) =>
    writeToWorkerLog('a worker that failed was not closed', { error: String(error) }),
  );
  throw failed.error;
}

function stopAll(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
