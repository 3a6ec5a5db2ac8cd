/**
 * The processes of the bench's own home, found by its path in their arguments or environment or by their parent, and what
 * memory they hold.
 * Known from /proc; elsewhere there are none to see, and the figure stays empty.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineState } from '../worker/local-engine/state/engine-state.js';

const PATIENCE_MS = 8_000;
const LOOK_MS = 50;

export interface HomeProcess {
  readonly pid: number;
  readonly command: string;
}

/** Precondition: the engine is up. */
export function engineOf(home: string): EngineState {
  return JSON.parse(readFileSync(join(home, 'engine.json'), 'utf8')) as EngineState; // As docs/ARCHITECTURE.md tells of it.
}

/** Precondition: as of `engineOf`. Errors: a worker that is just being started has no pid yet; a signal to 0 would reach the bench itself. */
export function workerPidOf({ worker }: Pick<EngineState, 'worker'>): number {
  if (worker === null) throw new Error('the engine has no worker just now');
  return worker.pid;
}

export function processesOf(folder: string): readonly HomeProcess[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid);
  const commands = new Map<number, string>();
  const seen = pids.map((pid) => {
    const command = read(pid, 'cmdline');
    commands.set(pid, command.replaceAll('\0', ' '));
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0);
    return { pid, parent, isNamed: command.includes(folder) || read(pid, 'environ').includes(folder) };
  });
  return withDescendants(seen).map((pid) => ({ pid, command: commands.get(pid) ?? '' }));
}

export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly isNamed: boolean;
}

/** Those that are named and all that they started, whatever their pids: these begin anew above the largest. */
export function withDescendants(seen: readonly SeenProcess[]): readonly number[] {
  const found = new Set<number>();
  let next = seen.filter(({ isNamed }) => isNamed);
  while (next.length > 0) {
    for (const { pid } of next) found.add(pid);
    next = seen.filter(({ pid, parent }) => found.has(parent) && !found.has(pid));
  }
  return [...found];
}

/** Resident memory, ours (engine, worker, guard and what they started) apart from the server's. Pages that processes share count for each. Unit: MB. */
export function residentMb(folder: string): { readonly ours: number; readonly server: number } {
  const sum = { ours: 0, server: 0 };
  for (const { pid, command } of processesOf(folder)) {
    sum[command.includes('server start-dev') ? 'server' : 'ours'] += residentMbOf(pid);
  }
  return sum;
}

/** Of one process. Unit: MB. */
export function residentMbOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0) / 1024;
}

/** Waits for the end of all of them; what stays is ended by its pid, and what that started meanwhile. Answers what had to be ended. */
export async function endProcessesOf(folder: string): Promise<readonly HomeProcess[]> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (processesOf(folder).length === 0) return [];
    await delay(LOOK_MS);
  }
  const ended = new Map<number, HomeProcess>();
  const last = performance.now() + PATIENCE_MS;
  for (let left = processesOf(folder); left.length > 0 && performance.now() < last; left = processesOf(folder)) {
    for (const one of left) {
      ended.set(one.pid, one);
      end(one.pid);
    }
    await delay(LOOK_MS);
  }
  return [...ended.values()];
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended first.
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
