/**
 * The local engine: owns server and worker, starts them again when they die, answers on its socket. The caller holds the home's lock.
 * It ends no turn: those belong to the guard, and a worker that is told to end detaches from them.
 * Killed by -9 it leaves server and worker alive; the next engine of the home ends them by pid and start time.
 */
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { messageOf } from '../../config/system/error-code.js';
import { createSerializer } from '../../config/system/serialize.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { type Refusal, RefusedError } from '../../protocol/text/refusal.js';
import { appendLine, openLog, readTail, turnOverInUse } from './children/log-file.js';
import { listensAt } from './children/port-listener.js';
import { freePort, LOOPBACK, uiHost, waitForPort } from './children/ports.js';
import { setRetention, spawnServer } from './children/server-child.js';
import { NotStarted, SupervisedChild } from './children/supervised-child.js';
import { spawnWorker, waitForWorker } from './children/worker-child.js';
import type { EnginePhase, EngineReport, WorkerStart } from './control/control.js';
import { listenForControl } from './control/control-server.js';
import { type EngineAddress, keepAddress, readAddress } from './state/engine-address.js';
import { withTrouble } from './state/engine-error.js';
import type { EngineOptions } from './state/engine-options.js';
import type { EnginePaths } from './state/engine-paths.js';
import { NAMESPACE, readRecordedProcesses, removeEngineState, writeEngineState } from './state/engine-state.js';
import { fileOfLock } from './state/kernel-lock.js';
import { beginDatabase, confirmDatabase } from './state/new-database.js';
import { endProcess, identify, type ProcessIdentity } from './state/process-identity.js';

const SERVER_READY_MS = 20_000;
const WORKER_READY_MS = 60_000;
/** The worker's own shutdownGraceTime is 10 s. */
const WORKER_GRACE_MS = 12_000;
const SERVER_GRACE_MS = 5_000;
/** The database survives a kill of the server at any moment, so `--now` need not wait for its 3 s of farewell. */
const NOW_GRACE_MS = 500;
const PORT_TRIES = 3;
/** A person who removes a home thinks that all of it is gone. */
const HOME_LOOK_MS = 2_000;

export class Engine {
  /** The start failed; the reason was given to everybody who waited for it. */
  startFailed = false;
  readonly #options: EngineOptions;
  readonly #failpoint: Failpoint;
  readonly #paths: EnginePaths;
  readonly #lock: string | null;
  readonly #startedAt = new Date().toISOString();
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #server: SupervisedChild;
  readonly #worker: SupervisedChild;
  readonly #ports: { server: number; ui: number | null };
  /** Of the engine that this home had before. */
  readonly #before: EngineAddress | null;
  readonly #uiHost: string;
  readonly #alive: { engine: ProcessIdentity; server: ProcessIdentity | null; worker: ProcessIdentity | null };
  #phase: EnginePhase = 'starting';
  #error: Refusal | null = null;
  #stopping: Promise<void> | null = null;
  /** Of those who want no worker. */
  #drains = 0;
  /** Somebody wanted none before the first was ready: the start ends without one, and `resume`, whose turn comes after it, brings it back. */
  #isDrainedInStart = false;
  #workerStart: WorkerStart;
  readonly #changes = createSerializer();

  constructor(options: EngineOptions, paths: EnginePaths, failpoint: Failpoint) {
    this.#options = options;
    this.#workerStart = { command: options.worker, environment: process.env };
    this.#failpoint = failpoint;
    this.#paths = paths;
    this.#lock = fileOfLock(paths.lock, null);
    this.#before = readAddress(paths.address, options.ports);
    this.#uiHost = this.#before?.uiHost ?? uiHost();
    this.#ports = { server: options.ports.server, ui: options.ui ? options.ports.ui : null };
    this.#alive = { engine: { pid: process.pid, startedAt: '' }, server: null, worker: null };
    this.#server = this.#superviseServer(openLog(paths.serverLog));
    this.#worker = this.#superviseWorker(openLog(paths.workerLog));
  }

  /** Returns when everything it owned has ended: after `stop`, after a failed start, or where its home is removed. */
  async run(): Promise<void> {
    const stopped = once(this.#events, 'stopped');
    const homeLook = setInterval(() => this.#lookAtHome(), HOME_LOOK_MS);
    const control = await listenForControl(this.#paths.socket, this);
    this.#failpoint('engine.start-listening');
    await this.#inTurn(() => this.#start());
    await stopped;
    clearInterval(homeLook);
    // To close our socket removes what has its name.
    if (this.#isSucceeded()) return;
    rmSync(this.#paths.socket, { force: true });
    await control.close();
  }

  async #start(): Promise<void> {
    try {
      this.#alive.engine = (await identify(process.pid)) ?? this.#alive.engine;
      await this.#endLeftovers();
      this.#failpoint('engine.start-cleared');
      await this.#startServer();
      this.#failpoint('engine.start-server-ready');
      this.#requireWanted();
      await Promise.all([setRetention(this.#options.binary, this.#address()), this.#startFirstWorker()]);
      this.#failpoint('engine.start-worker-ready');
      if (this.#phase === 'starting') this.#enter(this.#isDrainedInStart ? 'draining' : 'up');
    } catch (error) {
      if (this.#stopping === null) {
        this.startFailed = true;
        this.#fail(this.#startError(error));
        await this.stop({ now: true });
      }
    }
  }

  /** A worker that ended because nobody wants one is no failure. */
  async #startFirstWorker(): Promise<void> {
    if (this.#isDrainedInStart) return;
    await this.#worker.start().catch((error: unknown) => {
      if (!this.#isDrainedInStart) throw error;
    });
  }

  /** A guard or another engine may have made a home again that was removed; our lock is not in it. */
  #lookAtHome(): void {
    if (fileOfLock(this.#paths.lock, this.#lock) !== this.#lock) void this.stop({ now: true });
    for (const log of [this.#paths.engineLog, this.#paths.serverLog, this.#paths.workerLog]) turnOverInUse(log);
  }

  /** Another engine has the home, which was removed and made again. */
  #isSucceeded(): boolean {
    return ![this.#lock, null].includes(fileOfLock(this.#paths.lock, this.#lock));
  }

  report(): EngineReport {
    return {
      phase: this.#phase,
      pid: process.pid,
      address: this.#address(),
      namespace: NAMESPACE,
      uiAddress: this.#uiAddress(),
      binary: this.#options.binary,
      serverVersion: this.#options.serverVersion,
      startedAt: this.#startedAt,
      serverPid: this.#server.pid,
      workerPid: this.#worker.pid,
      serverRestarts: this.#server.restarts,
      workerRestarts: this.#worker.restarts,
      error: this.#error,
    };
  }

  /** Calls back at every progress line and phase; returns the function that ends it. */
  watch(onChange: (progress: string | null) => void): () => void {
    this.#events.on('change', onChange);
    return () => this.#events.off('change', onChange);
  }

  /** Stops the worker and keeps the server; `resume`, once from each who drained it, brings it back. */
  async drain(how: { readonly now: boolean }): Promise<void> {
    this.#drains += 1;
    const graceMs = how.now ? NOW_GRACE_MS : WORKER_GRACE_MS;
    if (this.#phase === 'starting') {
      // The start has the turn, and may take as long as its server needs; from here on it begins no worker.
      this.#isDrainedInStart = true;
      return this.#worker.stop(graceMs);
    }
    return this.#inTurn(async () => {
      if (!this.#hasWorker) return;
      this.#enter('draining');
      await this.#worker.stop(graceMs);
    });
  }

  resume(): Promise<void> {
    this.#drains -= 1;
    return this.#inTurn(async () => {
      if (this.#drains === 0 && this.#phase === 'draining') await this.#startWorkerAgain();
    });
  }

  /** `as`: how the one who asks would start it, from now on; null for as before. */
  restartWorker(as: WorkerStart | null): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#hasWorker) return;
      this.#workerStart = as ?? this.#workerStart;
      await this.#worker.stop(WORKER_GRACE_MS);
      await this.#startWorkerAgain();
    });
  }

  /** Or would have one, where it gave up on it. Where it gave up on its server, only another engine has one again. */
  get #hasWorker(): boolean {
    if (this.#stopping !== null) return false;
    return this.#phase === 'up' || (this.#phase === 'failed' && this.#server.isReady);
  }

  /** One change of the worker at a time, whoever asks: the one that ends must be gone before another begins. */
  #inTurn(change: () => Promise<void>): Promise<void> {
    return this.#changes('worker', change);
  }

  stop(how: { readonly now: boolean }): Promise<void> {
    this.#stopping ??= this.#end(how.now);
    return this.#stopping;
  }

  async #end(now: boolean): Promise<void> {
    if (this.#phase !== 'failed') this.#enter('stopping');
    this.#failpoint('engine.stop-begun');
    // At its end it would remove the socket of the next engine's worker, which has the name of its own; from its turns it is detached by any end.
    await this.#worker.stop(this.#isSucceeded() ? 0 : now ? NOW_GRACE_MS : WORKER_GRACE_MS);
    this.#failpoint('engine.stop-worker-ended');
    await this.#server.stop(now ? NOW_GRACE_MS : SERVER_GRACE_MS);
    this.#failpoint('engine.stop-server-ended');
    if (!this.#isSucceeded()) removeEngineState(this.#paths.state);
    this.#failpoint('engine.stop-forgotten');
    this.#events.emit('stopped');
  }

  async #startWorkerAgain(): Promise<void> {
    if (this.#stopping !== null) return;
    try {
      await this.#worker.start();
      this.#error = null;
      this.#enter('up');
    } catch (error) {
      if (this.#stopping === null) this.#fail(this.#startError(error));
    }
  }

  async #endLeftovers(): Promise<void> {
    const { server, worker } = readRecordedProcesses(this.#paths.state);
    const leftovers = [worker, server].filter((identity) => identity !== null);
    await Promise.all(leftovers.map((identity) => endProcess(identity, SERVER_GRACE_MS)));
  }

  /** A `down` that comes during the start ends what lives then; nothing may start after it. */
  #requireWanted(): void {
    if (this.#stopping !== null) throw new Error('the engine is told to end');
  }

  /** The port can be taken between the look and the bind, so an early end is tried again on the next free one. */
  async #startServer(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const { server, ui } = this.#options.ports;
      this.#ports.server = await freePort(server, LOOPBACK, this.#before?.server);
      if (this.#options.ui) this.#ports.ui = await freePort(ui, this.#uiHost, this.#before?.ui);
      this.#requireWanted();
      this.#say(`starting the server on ${this.#address()}`);
      beginDatabase(this.#paths);
      try {
        await this.#server.start();
        break;
      } catch (error) {
        const portIsTaken = (await freePort(this.#ports.server)) !== this.#ports.server;
        if (!portIsTaken || attempt === PORT_TRIES) throw error;
      }
    }
    confirmDatabase(this.#paths);
    this.#keepAddress();
  }

  /** For the next engine of this home. Without the Web UI its address is that of before. */
  #keepAddress(): void {
    const ui = this.#ports.ui ?? this.#before?.ui ?? null;
    try {
      keepAddress(this.#paths.address, this.#options.ports, { server: this.#ports.server, ui, uiHost: this.#uiHost });
    } catch (error) {
      this.#log(`${this.#paths.address} could not be written: ${messageOf(error)}`);
    }
  }

  #superviseServer(log: number): SupervisedChild {
    return new SupervisedChild({
      name: 'the server',
      log: this.#paths.serverLog,
      readyLimitMs: SERVER_READY_MS,
      spawn: () =>
        spawnServer(this.#options.binary, log, {
          port: this.#ports.server,
          uiPort: this.#ports.ui,
          uiHost: this.#uiHost,
          database: this.#paths.database,
          durability: this.#options.durability,
        }),
      ready: async (child, signal) => {
        const { server: port } = this.#ports;
        await waitForPort(port, signal);
        if (child.pid !== undefined && !listensAt(child.pid, port))
          throw new Error(`another process has taken port ${port}`);
      },
      onIdentity: (identity) => this.#record('server', identity),
      onRestart: (how) => this.#say(`the server ${how}; it is started again`),
      onGivenUp: (how) => {
        this.#fail(this.#crashLoop(how, this.#paths.serverLog));
        // Only another engine brings a server back, and a worker without one ends again and again.
        void this.#worker.stop(WORKER_GRACE_MS);
      },
    });
  }

  #superviseWorker(log: number): SupervisedChild {
    return new SupervisedChild({
      name: 'the worker',
      log: this.#paths.workerLog,
      readyLimitMs: WORKER_READY_MS,
      spawn: () => {
        this.#say('starting the worker');
        return spawnWorker({ ...this.#workerStart, home: this.#paths.home, address: this.#address(), log });
      },
      ready: (child, signal) => waitForWorker(child, log, signal),
      // It ends itself when it finds no server; however long that stays away, the server's own deaths are what counts.
      isExcused: () => !this.#server.isReady,
      onIdentity: (identity) => this.#record('worker', identity),
      onRestart: (how) => this.#say(`the worker ${how}; it is started again`),
      onGivenUp: (how) => this.#fail(this.#crashLoop(how, this.#paths.workerLog)),
    });
  }

  #record(which: 'server' | 'worker', identity: ProcessIdentity | null): void {
    this.#alive[which] = identity;
    if (this.#stopping !== null) return;
    const { address, namespace, uiAddress, binary, serverVersion, startedAt } = this.report();
    try {
      writeEngineState(this.#paths.state, {
        version: 1,
        address,
        namespace,
        uiAddress,
        binary,
        serverVersion,
        startedAt,
        ...this.#alive,
      });
    } catch (error) {
      // On a full disk the engine works on; only the next one would not know what to end.
      this.#log(`${this.#paths.state} could not be written: ${messageOf(error)}`);
    }
  }

  #say(progress: string): void {
    this.#log(progress);
    this.#events.emit('change', progress);
  }

  #log(text: string): void {
    appendLine(process.stderr.fd, `${new Date().toISOString()} ${text}`);
  }

  #enter(phase: EnginePhase): void {
    this.#phase = phase;
    this.#log(`engine ${phase}`);
    this.#events.emit('change', null);
  }

  #fail(error: Refusal): void {
    this.#error = error;
    this.#log(`${error.what}\n${error.why}`);
    this.#enter('failed');
  }

  #startError(error: unknown): Refusal {
    if (error instanceof RefusedError) return error.parts;
    const reason = messageOf(error);
    const log = error instanceof NotStarted ? error.log : this.#paths.serverLog;
    const tail = readTail(log);
    const parts = {
      what: `The local engine did not start: ${reason}.`,
      why: tail === '' ? `Its log ${log} is empty.` : `The last lines of ${log}:\n${tail}`,
      now: 'Runs wait where they are; nothing was lost.',
      mend: 'Mend that and run: sluice up',
    };
    return withTrouble(parts, `${reason}\n${tail}`, this.#paths.home);
  }

  #crashLoop(how: string, log: string): Refusal {
    const tail = readTail(log);
    const parts = {
      what: `The local engine gave up: ${how}.`,
      why: `What dies that often is not started again. The last lines of ${log}:\n${tail}`,
      now: 'Runs wait where they are; nothing was lost.',
      mend: 'Mend that and run: sluice up',
    };
    return withTrouble(parts, `${how}\n${tail}`, this.#paths.home);
  }

  #address(): string {
    return `${LOOPBACK}:${this.#ports.server}`;
  }

  #uiAddress(): string | null {
    return this.#ports.ui === null ? null : `http://${this.#uiHost}:${this.#ports.ui}`;
  }
}
