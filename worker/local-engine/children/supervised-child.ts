/**
 * One child process that is started again when it dies: at once the first time, then with growing pauses, and no more after
 * CRASH_LIMIT deaths within CRASH_WINDOW_MS or as many in a row without a word that it works, those left out that something else explains. A first start that
 * fails is reported to the caller instead of tried again.
 */
import type { ChildProcess } from 'node:child_process';
import { messageOf } from '../../../config/system/error-code.js';
import { identify, type ProcessIdentity } from '../state/process-identity.js';

const CRASH_LIMIT = 6;
const CRASH_WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
const EXCUSED_PAUSE_MS = 500;

export interface ChildPlan {
  readonly name: string;
  /** The file that its output goes to. */
  readonly log: string;
  spawn(): ChildProcess;
  /** Resolves when it works; rejects when `signal` is aborted, which happens at its end and at the time limit. */
  ready(child: ChildProcess, signal: AbortSignal): Promise<void>;
  readonly readyLimitMs: number;
  /** Whether what it needs is away, so that its death says nothing of itself; asked at each one. */
  isExcused?(): boolean;
  /** The recorded identity changed; null means that none lives. */
  onIdentity(identity: ProcessIdentity | null): void;
  onRestart(how: string): void;
  /** It died too often; it is not started again. */
  onGivenUp(how: string): void;
}

/** The first start failed; `log` may say why. */
export class NotStarted extends Error {
  readonly log: string;

  constructor(log: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.log = log;
  }
}

export class SupervisedChild {
  /** How often it was started again after it died. */
  restarts = 0;
  readonly #plan: ChildPlan;
  #child: ChildProcess | null = null;
  #wish: 'stopped' | 'first start' | 'running' = 'stopped';
  #ready = false;
  #deaths: number[] = [];
  /** Its latest deaths before it was ready, in a row: one that hangs until its time limit dies too seldom to be known by the window. */
  #neverReady = 0;
  #pause: AbortController = new AbortController();

  constructor(plan: ChildPlan) {
    this.#plan = plan;
  }

  /** It lives and said that it works. */
  get isReady(): boolean {
    return this.#ready;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Errors: NotStarted, which says how it ended before it was ready; also where it was told to end meanwhile. */
  async start(): Promise<void> {
    this.#wish = 'first start';
    this.#deaths = [];
    this.#neverReady = 0;
    try {
      await this.#launch(this.#plan.spawn());
      // It may say that it works before it sees the TERM of a `stop`; taken for one that runs it would be started again as it ends.
      if (this.#wish !== 'first start') throw new Error(`${this.#plan.name} is told to end`);
      this.#wish = 'running';
    } catch (error) {
      this.#wish = 'stopped';
      throw new NotStarted(this.#plan.log, error);
    }
  }

  /** TERM, after `graceMs` KILL; KILL at once without a grace. Returns when it is gone; it stays so until the next start. */
  async stop(graceMs: number): Promise<void> {
    this.#wish = 'stopped';
    this.#pause.abort();
    const child = this.#child;
    if (child === null) return;
    const ended = endOf(child);
    child.kill(graceMs === 0 ? 'SIGKILL' : 'SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await ended;
    clearTimeout(kill);
  }

  async #launch(child: ChildProcess): Promise<void> {
    this.#child = child;
    const ended = endOf(child);
    const identity = child.pid === undefined ? null : await identify(child.pid);
    this.#plan.onIdentity(identity);
    void ended.then((how) => this.#died(child, how));
    await this.#becomeReady(child, ended);
  }

  async #becomeReady(child: ChildProcess, ended: Promise<string>): Promise<void> {
    const { name, readyLimitMs } = this.#plan;
    const abort = new AbortController();
    const limit = setTimeout(
      () => abort.abort(new Error(`${name} was not ready after ${readyLimitMs} ms`)),
      readyLimitMs,
    );
    void ended.then((how) => abort.abort(new Error(`${name} ${how} before it was ready`)));
    try {
      await this.#plan.ready(child, abort.signal);
      this.#ready = this.#child === child;
      this.#neverReady = 0;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(limit);
    }
  }

  #died(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    const wasReady = this.#ready;
    this.#child = null;
    this.#ready = false;
    this.#plan.onIdentity(null);
    if (this.#wish === 'running') void this.#again(how, wasReady);
  }

  async #again(how: string, wasReady: boolean): Promise<void> {
    const excused = this.#plan.isExcused?.() === true;
    const now = performance.now();
    this.#deaths = this.#deaths.filter((at) => now - at < CRASH_WINDOW_MS).concat(excused ? [] : [now]);
    const deaths = this.#deaths.length;
    if (!excused && !wasReady) this.#neverReady += 1;
    const tooOften = deaths >= CRASH_LIMIT;
    if (!excused && (tooOften || this.#neverReady >= CRASH_LIMIT)) {
      this.#wish = 'stopped';
      const since = tooOften ? 'within a minute' : 'in a row before it was ready';
      this.#plan.onGivenUp(`${this.#plan.name} ${how}, for the ${CRASH_LIMIT}th time ${since}`);
      return;
    }
    if (excused) await this.#wait(EXCUSED_PAUSE_MS);
    else if (deaths > 1) await this.#wait(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** deaths));
    if (this.#wish !== 'running') return;
    this.restarts += 1;
    this.#plan.onRestart(how);
    let child: ChildProcess;
    try {
      child = this.#plan.spawn();
    } catch (error) {
      // The machine refused it, for want of memory for one: there is no process whose end would come back here.
      void this.#again(`could not be started: ${messageOf(error)}`, false);
      return;
    }
    // A start that fails ends the process, and its end comes back here.
    await this.#launch(child).catch(() => undefined);
  }

  #wait(ms: number): Promise<void> {
    this.#pause = new AbortController();
    const { signal } = this.#pause;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

function endOf(child: ChildProcess): Promise<string> {
  if (child.exitCode !== null) return Promise.resolve(`ended with exit code ${child.exitCode}`);
  if (child.signalCode !== null) return Promise.resolve(`was ended by ${child.signalCode}`);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
    );
  });
}
