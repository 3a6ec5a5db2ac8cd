/**
 * One child process that is started again when it dies: at once the first time, then with growing pauses, and no more after
 * CRASH_LIMIT deaths within CRASH_WINDOW_MS. A first start that fails is reported to the caller instead of tried again.
 */
import type { ChildProcess } from 'node:child_process';
import { identify, type ProcessIdentity } from './process-identity.js';

export const CRASH_LIMIT = 6;
export const CRASH_WINDOW_MS = 60_000;

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

export interface ChildPlan {
  readonly name: string;
  spawn(): ChildProcess;
  /** Resolves when it works; rejects when `signal` is aborted, which happens at its end and at the time limit. */
  ready(child: ChildProcess, signal: AbortSignal): Promise<void>;
  readonly readyLimitMs: number;
  /** The recorded identity changed; null means that none lives. */
  onIdentity(identity: ProcessIdentity | null): void;
  onRestart(how: string): void;
  /** It died too often; it is not started again. */
  onGivenUp(how: string): void;
}

export interface SupervisedChild {
  /** Errors: plain Error that says how it ended before it was ready. */
  start(): Promise<void>;
  /** TERM, after `graceMs` KILL. Returns when it is gone; it stays so until the next start. */
  stop(graceMs: number): Promise<void>;
  readonly pid: number | null;
  readonly restarts: number;
}

export function supervise(plan: ChildPlan): SupervisedChild {
  let wanted = false;
  let child: ChildProcess | null = null;
  let restarts = 0;
  let deaths: number[] = [];
  let wake = (): void => undefined;

  async function launch(): Promise<void> {
    const launched = plan.spawn();
    child = launched;
    const ended = endOf(launched);
    const pid = launched.pid;
    plan.onIdentity(pid === undefined ? null : await identify(pid));
    void ended.then((how) => died(launched, how));
    await becomeReady(launched, ended);
  }

  async function becomeReady(launched: ChildProcess, ended: Promise<string>): Promise<void> {
    const abort = new AbortController();
    const limit = setTimeout(() => abort.abort(new Error(`${plan.name} was not ready after ${plan.readyLimitMs} ms`)), plan.readyLimitMs);
    void ended.then((how) => abort.abort(new Error(`${plan.name} ${how} before it was ready`)));
    try {
      await plan.ready(launched, abort.signal);
    } catch (error) {
      launched.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  let firstStart = false;
  function died(which: ChildProcess, how: string): void {
    if (child !== which) return;
    child = null;
    plan.onIdentity(null);
    if (wanted && !firstStart) void again(how);
  }

  async function again(how: string): Promise<void> {
    const now = performance.now();
    deaths = [...deaths.filter((at) => now - at < CRASH_WINDOW_MS), now];
    if (deaths.length >= CRASH_LIMIT) {
      wanted = false;
      plan.onGivenUp(`${plan.name} ${how}, for the ${deaths.length}th time within a minute`);
      return;
    }
    await pause(deaths.length === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** deaths.length));
    if (!wanted) return;
    restarts += 1;
    plan.onRestart(how);
    // A start that fails ends the process, and its end comes back here.
    await launch().catch(() => undefined);
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    async start() {
      wanted = true;
      firstStart = true;
      deaths = [];
      try {
        await launch();
      } catch (error) {
        wanted = false;
        throw error;
      } finally {
        firstStart = false;
      }
    },
    async stop(graceMs) {
      wanted = false;
      wake();
      const living = child;
      if (living === null) return;
      const ended = endOf(living);
      living.kill('SIGTERM');
      const kill = setTimeout(() => living.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(kill);
    },
    get pid() {
      return child?.pid ?? null;
    },
    get restarts() {
      return restarts;
    },
  };
}

function endOf(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null) return Promise.resolve(`ended with exit code ${child.exitCode}`);
  if (child.signalCode !== null) return Promise.resolve(`was ended by ${child.signalCode}`);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`));
  });
}
