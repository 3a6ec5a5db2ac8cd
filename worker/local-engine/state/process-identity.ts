/**
 * Names a process so that a reused pid is never mistaken for it: pid plus start time plus boot.
 * Kills by pid only after comparing. On systems without /proc the start time is ps' (one second coarse).
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { sendSignal } from '../../../config/system/send-signal.js';

export interface ProcessIdentity {
  readonly pid: number;
  /** Boot id and start tick on Linux, ps' start time elsewhere. */
  readonly startedAt: string;
}

const POLL_MS = 10;

/** Null if no such process lives (a zombie does not). */
export async function identify(pid: number): Promise<ProcessIdentity | null> {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : await startFromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const current = await identify(identity.pid);
  return current?.startedAt === identity.startedAt;
}

/**
 * TERM, then KILL after `graceMs`; returns when it is gone. A process that reuses the pid is left alone.
 * Unit: ms.
 */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  await signal(identity, 'SIGTERM');
  if (await waitUntilGone(identity, graceMs)) return;
  await signal(identity, 'SIGKILL');
  await waitUntilGone(identity, 5_000);
}

async function signal(identity: ProcessIdentity, name: NodeJS.Signals): Promise<void> {
  if (await isAlive(identity)) sendSignal(identity.pid, name);
}

/** False if it still lives after `ms`. */
export async function waitUntilGone(identity: ProcessIdentity, ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (await isAlive(identity)) {
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}

function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold spaces and brackets, so count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const startTick = fields[19];
    if (state === 'Z' || state === 'X' || startTick === undefined) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${startTick}`;
  } catch {
    return null;
  }
}

async function startFromPs(pid: number): Promise<string | null> {
  try {
    // It writes the time in the language and the zone of its environment; what one process was told is compared with what another is.
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : start.join(' ');
  } catch {
    return null;
  }
}
