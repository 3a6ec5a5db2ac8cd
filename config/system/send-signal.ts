/** Signals to processes that may have ended meanwhile. It needs nothing but node: the guard loads it. */
import type { ChildProcess } from 'node:child_process';
import { codeOf } from './error-code.js';

/** A pid below 0 means a group; signal 0 only asks. `refused`: it is another user's. */
export function sendSignal(pid: number, signal: NodeJS.Signals | 0): 'sent' | 'gone' | 'refused' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return codeOf(error) === 'ESRCH' ? 'gone' : 'refused';
  }
}

/** Of a child that leads one; nothing where it was never started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, signal);
}
