/**
 * Brings the local engine of a home down, and what a killed one left behind: its server and worker live on when it is ended by -9.
 * Nothing but recorded processes is ended, each by pid and start time, and only by whoever holds the home's lock.
 */
import { existsSync } from 'node:fs';
import { type EnginePaths, enginePaths } from '../state/engine-paths.js';
import { readRecordedProcesses, removeEngineState } from '../state/engine-state.js';
import { tryLock } from '../state/kernel-lock.js';
import { LOCK_RETRY_MS, lockHeld, Patience, sleep } from '../state/lock-wait.js';
import { endProcess, identify, isAlive, type ProcessIdentity, waitUntilGone } from '../state/process-identity.js';
import { awaitReport, type ControlClient, openControl } from './control.js';

export type StopOutcome =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'not_running' }
  /** No engine answered. What it had left, and that ended now; the number of turns only with `now`. */
  | { readonly kind: 'leftovers_ended'; readonly worker: boolean; readonly server: boolean; readonly turns: number };

export interface StopEngine {
  /** End running turns instead of waiting for them. */
  readonly now: boolean;
  /** How many turns live under the guard of this home. */
  readonly liveTurns: () => Promise<number>;
  readonly endTurns: () => Promise<void>;
  readonly onProgress?: (text: string) => void;
  /** How long somebody may hold the home's lock without answering. */
  readonly patienceMs?: number;
}

const TURNS_POLL_MS = 250;
const EXIT_LIMIT_MS = 5_000;
/** The worker's own shutdownGraceTime is 10 s. */
const LEFTOVER_GRACE_MS = 12_000;
const LEFTOVER_NOW_GRACE_MS = 500;

/** Errors: RefusedError if the home's lock stays with somebody who does not answer. */
export async function stopEngine(home: string, options: StopEngine): Promise<StopOutcome> {
  const paths = enginePaths(home);
  const patience = new Patience(options.patienceMs);
  for (;;) {
    const control = await openControl(paths.socket);
    const stopped = control === null ? null : await stopRunning(control, paths, options);
    if (stopped !== null) return stopped;
    if (!existsSync(paths.lock)) return { kind: 'not_running' };
    const lock = await tryLock(paths.lock);
    if (lock !== null) {
      try {
        return await endLeftovers(paths, options);
      } finally {
        lock.release();
      }
    }
    if (patience.isOver()) throw lockHeld(paths);
    await sleep(LOCK_RETRY_MS);
  }
}

/**
 * The worker goes first and detaches from its turns; the server stays until no turn lives. An interrupted call leaves a working engine:
 * the worker comes back when this connection closes. Null: the engine was dying, or died meanwhile; look again.
 */
async function stopRunning(
  control: ControlClient,
  paths: EnginePaths,
  options: StopEngine,
): Promise<StopOutcome | null> {
  try {
    control.send({ type: 'status' });
    const report = await awaitReport(control);
    if (report === null) return null;
    const engine = await identify(report.pid);
    control.send({ type: 'drain', now: options.now });
    await control.next();
    if (options.now) await options.endTurns();
    else await turnsEnded(options);
    control.send({ type: 'down', now: options.now });
    while ((await control.next()) !== null);
    // Its lock goes with the process, a moment after its connections.
    if (engine !== null) await waitUntilGone(engine, EXIT_LIMIT_MS);
    // Its end removes its record. Where that stays it was killed meanwhile, as its closed connection does not tell, and its server lives.
    return readRecordedProcesses(paths.state).engine?.pid === report.pid ? null : { kind: 'stopped' };
  } finally {
    control.close();
  }
}

/** In the order of a running engine's end: worker, turns, server. Without a record no engine is missing here, and turns are somebody else's. */
async function endLeftovers(paths: EnginePaths, options: StopEngine): Promise<StopOutcome> {
  if (!existsSync(paths.state)) return { kind: 'not_running' };
  const left = readRecordedProcesses(paths.state);
  const graceMs = options.now ? LEFTOVER_NOW_GRACE_MS : LEFTOVER_GRACE_MS;
  const worker = await endIfAlive(left.worker, graceMs);
  const turns = options.now ? await options.liveTurns() : 0;
  if (turns > 0) await options.endTurns();
  if (!options.now) await turnsEnded(options);
  const server = await endIfAlive(left.server, graceMs);
  removeEngineState(paths.state);
  return worker || server || turns > 0 ? { kind: 'leftovers_ended', worker, server, turns } : { kind: 'not_running' };
}

async function endIfAlive(identity: ProcessIdentity | null, graceMs: number): Promise<boolean> {
  if (identity === null || !(await isAlive(identity))) return false;
  await endProcess(identity, graceMs);
  return true;
}

async function turnsEnded(options: StopEngine): Promise<void> {
  let told = 0;
  for (;;) {
    const live = await options.liveTurns();
    if (live === 0) return;
    if (live !== told)
      options.onProgress?.(
        `waiting for ${live} running ${live === 1 ? 'turn' : 'turns'} (sluice down --now ends them)`,
      );
    told = live;
    await sleep(TURNS_POLL_MS);
  }
}
