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

export function processesOf(folder: string): readonly HomeProcess[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid);
  const found = new Map<number, string>();
  // Parents have the smaller pid but after a wrap, which a bench does not live to see.
  for (const pid of pids.sort((one, other) => one - other)) {
    const command = read(pid, 'cmdline');
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0);
    if (found.has(parent) || command.includes(folder) || read(pid, 'environ').includes(folder))
      found.set(pid, command.replaceAll('\0', ' '));
  }
  return [...found].map(([pid, command]) => ({ pid, command }));
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

/** Waits for the end of all of them; what stays is ended by its pid. Answers what had to be ended. */
export async function endProcessesOf(folder: string): Promise<readonly HomeProcess[]> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    if (processesOf(folder).length === 0) return [];
    await delay(LOOK_MS);
  }
  const left = processesOf(folder);
  for (const { pid } of left) end(pid);
  return left;
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
