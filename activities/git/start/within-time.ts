/**
 * Runs synchronous work that hostile text can make endless: globs and expressions come from a config that nobody needs to trust for them,
 * and a regex (picomatch makes one of each glob) can take longer than a life for one name of an agent's. V8 ends it at its next backtrack;
 * nothing else in the process could, for its only thread is at work. What was not finished has no answer: callers take the safe one.
 */
import { createContext, Script } from 'node:vm';
import { codeOf } from '../../../config/system/error-code.js';

/** Far above what honest rules need for a large diff, far below `limits.heartbeat`. */
const BUDGET_MS = 4_000;

const box: { work: () => unknown } = { work: () => undefined };
const context = createContext(box);
const script = new Script('work()');

/** Time for all the work of one check. */
export class TimeBudget {
  #leftMs: number;

  constructor(budgetMs = BUDGET_MS) {
    this.#leftMs = budgetMs;
  }

  /** Null: the time was used up, by this work or before it. */
  run<T extends object>(work: () => T): T | null {
    if (this.#leftMs < 1) return null;
    const began = performance.now();
    let done: T | null = null;
    box.work = () => {
      done = work();
    };
    try {
      script.runInContext(context, { timeout: Math.ceil(this.#leftMs) });
      return done;
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      this.#leftMs = 0;
      return null;
    } finally {
      box.work = () => undefined;
      this.#leftMs -= performance.now() - began;
    }
  }
}
