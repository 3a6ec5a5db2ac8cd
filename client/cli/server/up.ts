/**
 * The one place of the client that knows the local engine: bring it up, ask it, bring it down, and which address is its own.
 * Looking never starts anything. The engine's modules are loaded when they are needed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINE_PORTS, TURN_TAG } from '../../../protocol/names.js';
import { parseRecord } from '../../../protocol/text/json.js';
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { EngineReport } from '../../../worker/local-engine/control/control.js';
import type { RunningEngine } from '../../../worker/local-engine/control/ensure-engine.js';
import { askYesOrNo } from '../terminal/confirm.js';
import type { Context } from '../terminal/context.js';
import { isInsideTurn } from '../terminal/person.js';

export type { EngineReport } from '../../../worker/local-engine/control/control.js';
export type { RunningEngine } from '../../../worker/local-engine/control/ensure-engine.js';
export type { StopOutcome } from '../../../worker/local-engine/control/stop-engine.js';

export interface UpOptions {
  readonly ui?: boolean;
  readonly onProgress: (text: string) => void;
}

/** Errors: RefusedError, whose four parts are for people. Effects: may start a detached process that outlives this one. */
export async function upEngine({ io, home }: Context, { ui = false, onProgress }: UpOptions): Promise<RunningEngine> {
  if (isInsideTurn(io.env) && !(await comesUp(home))) throw new RefusedError(ENDS_WITH_TURN);
  const { ensureEngine } = await import('../../../worker/local-engine/control/ensure-engine.js');
  const { ports, durability } = await hostSettings(io.env);
  return ensureEngine({
    home,
    ui,
    onProgress,
    ports,
    durability,
    ...(io.interactive ? { confirmBuild } : {}),
  });
}

/** One that goes down waits for this very turn: it is not waited for. */
async function comesUp(home: string): Promise<boolean> {
  const report = await lookAtEngine(home);
  return (report?.phase === 'starting' ? await settledEngine(home) : report)?.phase === 'up';
}

/** By the turn tag, or by the limit mark that every process inherits (activities/process/guard/limit-mark.ts). */
const ENDS_WITH_TURN = {
  what: `the local engine is not up, and this command runs inside a turn (${TURN_TAG} is set)`,
  why: 'whatever a turn starts ends with it, an engine too',
  now: 'Nothing was started.',
  mend: 'a person runs in a shell of their own: sluice up',
};

/** Null when no engine runs in this home. */
export async function lookAtEngine(home: string): Promise<EngineReport | null> {
  const { engineStatus } = await import('../../../worker/local-engine/control/ensure-engine.js');
  return engineStatus(home);
}

/** Where the worker of this home's engine makes calls, if it does. */
export async function callsSocket(home: string): Promise<string> {
  const { enginePaths } = await import('../../../worker/local-engine/state/engine-paths.js');
  return enginePaths(home).calls;
}

/** As `lookAtEngine`, of an engine that starts: once it is up or has given up. */
export async function settledEngine(home: string): Promise<EngineReport | null> {
  const { settledStatus } = await import('../../../worker/local-engine/control/ensure-engine.js');
  return settledStatus(home);
}

/** Null when no engine runs in this home. Errors: RefusedError. */
export async function restartEngineWorker(home: string): Promise<EngineReport | null> {
  const { restartWorker } = await import('../../../worker/local-engine/control/ensure-engine.js');
  return restartWorker(home);
}

/** Whether an address is the one of this home's engine, running or not: then it is started where a run needs it. */
export function isOwnAddress(home: string, address: string): boolean {
  const wanted = loopback(address);
  return wanted === loopback(recordedAddress(home) ?? DEFAULT_ADDRESS);
}

/** Where an engine that was never started would listen. */
const DEFAULT_ADDRESS = `127.0.0.1:${ENGINE_PORTS.server}`;

/** Errors: ConfigError where the user's file cannot be used. */
export async function hostSettings(env: NodeJS.ProcessEnv) {
  const [{ readConfigFile }, { userConfigPath }, { resolveHostSettings }] = await Promise.all([
    import('../../../config/system/config-text.js'),
    import('../../../config/home/home.js'),
    import('../../../config/home/host-settings.js'),
  ]);
  const path = userConfigPath(env);
  return resolveHostSettings(readConfigFile(path, path));
}

/** Of an engine that is down, where it listened last: it listens there again. */
function recordedAddress(home: string): string | null {
  const address = recordIn(home, 'engine.json')?.['address'];
  if (typeof address === 'string') return address;
  const port = recordIn(home, 'address.json')?.['server'];
  return typeof port === 'number' ? `127.0.0.1:${port}` : null;
}

function recordIn(home: string, name: string): Readonly<Record<string, unknown>> | null {
  try {
    return parseRecord(readFileSync(join(home, name), 'utf8'));
  } catch {
    return null;
  }
}

function loopback(address: string): string {
  return address.replace(/^(?:localhost|\[::1\])(?=:)/, '127.0.0.1');
}

function confirmBuild(minutes: number): Promise<boolean> {
  const question = `The Temporal server must be built from source: about ${minutes} minutes, once. Build it?`;
  return askYesOrNo(question, { initial: true, left: 'Nothing was started.' });
}

/** Waits for running turns, or ends them with `now`. Errors: RefusedError. Effects: server, worker and engine of this home end, also those that a killed engine left. */
export async function downEngine(
  home: string,
  { now, onProgress }: { readonly now: boolean; readonly onProgress: (text: string) => void },
) {
  const [{ stopEngine }, { openTurnsOfHome }] = await Promise.all([
    import('../../../worker/local-engine/control/stop-engine.js'),
    import('../../../worker/local-engine/control/turns-of-home.js'),
  ]);
  const turns = await openTurnsOfHome(home);
  try {
    return await stopEngine(home, { now, onProgress, liveTurns: () => turns.live(), endTurns: () => turns.end() });
  } finally {
    await turns.close();
  }
}
