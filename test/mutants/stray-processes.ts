/**
 * Ends what a sabotaged test left alive: every process whose environment or working folder names the lane's own temp folder.
 * Linux only; elsewhere a test's own end must do.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Twice: what was started while the first list was read. */
const PASSES = 2;

export function endProcessesOf(folder: string): void {
  for (let pass = 0; pass < PASSES; pass += 1) for (const pid of processesOf(folder)) kill(pid);
}

function processesOf(folder: string): readonly number[] {
  return pids().filter(
    (pid) => pid !== process.pid && [environmentOf(pid), folderOf(pid)].some((text) => text.includes(folder)),
  );
}

function pids(): readonly number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => Number.isInteger(pid));
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function folderOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the look and the signal.
  }
}
