/**
 * What the command line may do with the local engine: bring it up, ask it, restart its worker (`stop-engine.ts` brings it down).
 * Two callers at once get one engine: the loser of the lock waits for the winner's. Looking never starts anything.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { entryFile } from '../../../config/system/entries.js';
import { fewDescriptors, NEEDED_DESCRIPTORS, openFilesLimit } from '../../../config/system/system-trouble.js';
import { ENGINE_PORTS } from '../../../protocol/names.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import { openLog, readTail } from '../children/log-file.js';
import { cleanEnvironment } from '../children/server-command.js';
import { WORKER_NODE_FLAGS } from '../children/worker-child.js';
import { type FindServerBinary, findServerBinary } from '../server-binary/find-server-binary.js';
import { withTrouble } from '../state/engine-error.js';
import type { EngineOptions } from '../state/engine-options.js';
import { type EnginePaths, enginePaths, makeEngineFolders } from '../state/engine-paths.js';
import { LOCK_RETRY_MS, lockHeld, Patience, sleep } from '../state/lock-wait.js';
import { awaitReport, type ControlClient, type EngineReport, openControl } from './control.js';

export interface EnsureEngine {
  readonly home: string;
  /** Also serve the Web UI; a running engine without it is restarted, turns go on. */
  readonly ui?: boolean;
  readonly onProgress?: (text: string) => void;
  readonly confirmBuild?: FindServerBinary['confirmBuild'];
  /** From the user's config: `engine.ports`, `engine.durability`. */
  readonly ports?: EngineOptions['ports'];
  readonly durability?: EngineOptions['durability'];
  /** Program and arguments of the engine and of its worker; sluice's own by default. */
  readonly engineCommand?: readonly [string, ...string[]];
  readonly workerCommand?: readonly [string, ...string[]];
  /** How long no engine may answer; longer than one takes to end. */
  readonly patienceMs?: number;
}

export interface RunningEngine {
  readonly address: string;
  readonly namespace: string;
  readonly uiAddress: string | null;
  /** The path of the `temporal` program that the engine runs. */
  readonly binary: string;
  /** False if it was there already. */
  readonly started: boolean;
}

/** The engine prints nothing for itself; a small heap keeps it at the size of a bare Node. */
const ENGINE_NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=64'];
/** A person's Temporal profile is for another server: its TLS and keys must not reach ours. This worker serves the command line of its home. */
const WORKER_FLAGS = ['--no-profile', '--serve-calls'] as const;
const OWNED_BY_ANOTHER = 75;
const SOCKET_POLL_MS = 20;

/** Errors: RefusedError. Effects: may start a detached process that outlives this one. */
export async function ensureEngine(options: EnsureEngine): Promise<RunningEngine> {
  const paths = makeEngineFolders(options.home);
  const say = options.onProgress ?? (() => undefined);
  const patience = new Patience(options.patienceMs);
  let starter: Starter | null = null;
  let isHeld = false;
  try {
    for (;;) {
      const control = await openControl(paths.socket);
      if (control !== null) {
        const report = await settled(control, say);
        if (report !== null) {
          patience.renew();
          isHeld = false;
        }
        if (report?.phase === 'up' && !(options.ui === true && report.uiAddress === null))
          return running(report, report.pid === starter?.pid);
        if (report?.phase === 'failed' && starter !== null && report.pid === starter.pid) {
          await starter.ended;
          throw failure(report);
        }
        if (report !== null) await replace(paths.socket, report, say);
        else if (starter === null) await sleep(SOCKET_POLL_MS);
        continue;
      }
      starter ??= await patience.during(startEngine(options, paths, say));
      const ended = await Promise.race([starter.ended, sleep(SOCKET_POLL_MS)]);
      isHeld ||= ended === OWNED_BY_ANOTHER;
      if (patience.isOver()) throw isHeld ? lockHeld(paths) : silent(paths, starter);
      if (ended === undefined) continue;
      if (ended !== OWNED_BY_ANOTHER) throw diedEarly(ended, paths);
      starter = null;
      await sleep(LOCK_RETRY_MS);
    }
  } finally {
    starter?.detach();
  }
}

/** Null if no engine runs in this home. */
export async function engineStatus(home: string): Promise<EngineReport | null> {
  const control = await openControl(enginePaths(home).socket);
  if (control === null) return null;
  control.send({ type: 'status' });
  const report = await awaitReport(control);
  control.close();
  return report;
}

/** As `engineStatus`, once an engine that starts is up or has given up; one that ends never does either. */
export async function settledStatus(home: string): Promise<EngineReport | null> {
  const control = await openControl(enginePaths(home).socket);
  return control === null ? null : settled(control, () => undefined);
}

/**
 * A new worker process with the environment and the program of this one, as after an `export` or an upgrade; running turns are not touched. An engine that gave
 * up on its server is left as it is, for the caller to replace. Errors: RefusedError.
 */
export async function restartWorker(
  home: string,
  workerCommand: EngineOptions['worker'] = ownWorker(),
): Promise<EngineReport | null> {
  const control = await openControl(enginePaths(home).socket);
  if (control === null) return null;
  control.send({ type: 'restart', as: { command: workerCommand, environment: cleanEnvironment(process.env) } });
  const report = await awaitReport(control);
  control.close();
  if (report?.phase === 'failed' && report.serverPid !== null) throw failure(report);
  return report;
}

async function settled(control: ControlClient, say: (text: string) => void): Promise<EngineReport | null> {
  control.send({ type: 'wait' });
  const report = await awaitReport(control, say);
  control.close();
  return report;
}

/** Ends an engine that gave up or lacks the Web UI; the caller starts the next one. */
async function replace(socket: string, report: EngineReport, say: (text: string) => void): Promise<void> {
  say(
    report.phase === 'failed'
      ? 'the engine had given up; starting it again'
      : 'starting the engine again with the Web UI',
  );
  const control = await openControl(socket);
  if (control === null) return;
  control.send({ type: 'down', now: report.phase === 'failed' });
  while ((await control.next()) !== null);
  control.close();
}

function ownWorker(): EngineOptions['worker'] {
  return [process.execPath, ...WORKER_NODE_FLAGS, entryFile('worker'), ...WORKER_FLAGS];
}

interface Starter {
  readonly pid: number | undefined;
  /** Its exit code, 1 for a signal; never before it ended. */
  readonly ended: Promise<number>;
  /** Lets the caller's process end while the engine lives. */
  detach(): void;
}

async function startEngine(options: EnsureEngine, paths: EnginePaths, say: (text: string) => void): Promise<Starter> {
  requireDescriptors();
  const binary = await findServerBinary({
    onProgress: say,
    ...(options.confirmBuild === undefined ? {} : { confirmBuild: options.confirmBuild }),
  });
  say('starting the local engine');
  const settings: EngineOptions = {
    home: paths.home,
    binary: binary.path,
    serverVersion: binary.serverVersion,
    ui: options.ui ?? false,
    ports: options.ports ?? ENGINE_PORTS,
    durability: options.durability ?? 'process',
    worker: options.workerCommand ?? ownWorker(),
  };
  const [program, ...args] = options.engineCommand ?? [process.execPath, ...ENGINE_NODE_FLAGS, entryFile('engine')];
  const log = openLog(paths.engineLog);
  const child = spawn(program, [...args, JSON.stringify(settings)], {
    // Detached: a session of its own, so that neither Ctrl+C nor the end of the terminal reaches it.
    detached: true,
    cwd: paths.home,
    stdio: ['ignore', log, log],
    env: { ...cleanEnvironment(process.env), SLUICE_HOME: paths.home },
  });
  closeSync(log);
  return { pid: child.pid, ended: exitOf(child), detach: () => child.unref() };
}

/** Server, worker and guard inherit the limit; below it they die of it at work, one after the other. */
function requireDescriptors(): void {
  if ((openFilesLimit() ?? NEEDED_DESCRIPTORS) >= NEEDED_DESCRIPTORS) return;
  const { short, why, mend } = fewDescriptors();
  throw new RefusedError({
    what: `The local engine was not started: ${short}.`,
    why,
    now: 'Nothing was started; runs wait where they are.',
    mend: `${mend}  # then: sluice up`,
  });
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function running(report: EngineReport, started: boolean): RunningEngine {
  const { address, namespace, uiAddress, binary } = report;
  return { address, namespace, uiAddress, binary, started };
}

function failure(report: EngineReport): RefusedError {
  if (report.error === null) throw new Error('a failed engine gave no reason');
  return new RefusedError(report.error);
}

function diedEarly(code: number, paths: EnginePaths): RefusedError {
  const tail = readTail(paths.engineLog);
  const parts = {
    what: `The local engine ended before it was up (exit code ${code}).`,
    why: `The last lines of ${paths.engineLog}:\n${tail}`,
    now: 'Nothing runs in this home; runs wait where they are.',
    mend: 'Mend that and run: sluice up',
  };
  return new RefusedError(withTrouble(parts, tail, paths.home));
}

function silent(paths: EnginePaths, starter: Starter): RefusedError {
  const pid = starter.pid ?? 'unknown';
  return new RefusedError({
    what: `The local engine (process ${pid}) does not answer at ${paths.socket}.`,
    why: `It listens there as the first thing it does. The last lines of ${paths.engineLog}:\n${readTail(paths.engineLog)}`,
    now: 'That process still runs; runs wait where they are.',
    mend: `End it and try again: kill ${pid} && sluice up`,
  });
}
