/** The wait for a lock that somebody else holds: an engine that ends keeps it for a while, but no wait is for ever. */
import { RefusedError } from '../../../protocol/text/refusal.js';
import type { EnginePaths } from './engine-paths.js';

/** Longer than an engine may take to end: its worker's grace and its server's. */
const PATIENCE_MS = 30_000;

export const LOCK_RETRY_MS = 150;

/** Time without an answer of any engine. */
export class Patience {
  private since = performance.now();

  constructor(private readonly ms: number = PATIENCE_MS) {}

  renew(): void {
    this.since = performance.now();
  }

  /** The time of this work does not count. */
  async during<T>(work: Promise<T>): Promise<T> {
    const from = performance.now();
    const result = await work;
    this.since += performance.now() - from;
    return result;
  }

  isOver(): boolean {
    return performance.now() - this.since > this.ms;
  }
}

export function lockHeld(paths: EnginePaths): RefusedError {
  return new RefusedError({
    what: `Another process holds the engine's lock ${paths.lock}, and no engine answers at ${paths.socket}.`,
    why: 'One engine at a time owns a home; it keeps the lock until it has ended.',
    now: 'Nothing was started and nothing was ended; runs wait where they are.',
    mend: `See which process that is, end it and try again: fuser -v ${paths.lock}`,
  });
}

/** Resolves to undefined, so that a race tells it from an exit code. */
export function sleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}
