/**
 * Two attempts of one activity in one process share one piece of work by the token of their place: the server was away, the laptop slept.
 * A cancel of any attempt cancels the work; a detach leaves it, and only when every attempt has left is the work itself detached.
 */
import { DetachedError } from '../process/contract.js';

export interface Signals {
  /** A person stops the run: end what lives, then report. */
  readonly cancel: AbortSignal;
  /** This attempt is given up: leave everything as it is. */
  readonly detach: AbortSignal;
}

interface Shared {
  readonly promise: Promise<unknown>;
  readonly cancel: AbortController;
  readonly detach: AbortController;
  attempts: number;
}

export class Attempts {
  private readonly live = new Map<string, Shared>();

  /** Shape: one token stands for one kind of activity, so the answer of the shared work is of type T. */
  async share<T>(token: string, signals: Signals, work: (signals: Signals) => Promise<T>): Promise<T> {
    const shared = this.live.get(token) ?? this.begin(token, work);
    shared.attempts += 1;
    const cancel = () => shared.cancel.abort(signals.cancel.reason);
    if (signals.cancel.aborted) cancel();
    signals.cancel.addEventListener('abort', cancel, { once: true });
    try {
      // The place token is unique to one activity, and an activity has one type of answer.
      return (await Promise.race([shared.promise, detached(signals.detach)])) as T;
    } finally {
      shared.attempts -= 1;
      signals.cancel.removeEventListener('abort', cancel);
      if (shared.attempts === 0) shared.detach.abort();
    }
  }

  private begin<T>(token: string, work: (signals: Signals) => Promise<T>): Shared {
    const cancel = new AbortController();
    const detach = new AbortController();
    const promise = work({ cancel: cancel.signal, detach: detach.signal }).finally(() => {
      if (this.live.get(token)?.promise === promise) this.live.delete(token);
    });
    // An attempt that has detached no longer listens; the failure is its successor's to meet again.
    promise.catch(() => undefined);
    const shared: Shared = { promise, cancel, detach, attempts: 0 };
    // A work that is being detached takes no further attempts.
    detach.signal.addEventListener('abort', () => this.live.get(token) === shared && this.live.delete(token), { once: true });
    this.live.set(token, shared);
    return shared;
  }
}

function detached(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(new DetachedError('this attempt was given up'));
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
  });
}
