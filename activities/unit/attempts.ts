/**
 * Two attempts of one activity in one process share one piece of work by the token of their place: the server was away, the laptop slept.
 * A cancel of any attempt cancels the work; a detach leaves it, and only when every attempt has left is the work itself detached.
 * Work that is being detached takes no further attempts, and the next begins only once it has ended: two never go on beside each other.
 */
import { orAborted } from '../../config/system/or-aborted.js';
import { DetachedError } from '../process/contract.js';

export interface Signals {
  /** A person stops the run: end what lives, then report. */
  readonly cancel: AbortSignal;
  /** This attempt is given up: leave everything as it is. */
  readonly detach: AbortSignal;
}

/** Whatever ends the attempt: what is only shown to people is not worth going on with. */
export function eitherOf({ cancel, detach }: Signals): AbortSignal {
  return AbortSignal.any([cancel, detach]);
}

interface Shared {
  readonly promise: Promise<unknown>;
  readonly cancel: AbortController;
  readonly detach: AbortController;
  attempts: number;
}

export class Attempts {
  private readonly live = new Map<string, Shared>();
  /** What was detached and has not ended yet. */
  private readonly leaving = new Map<string, Shared>();

  /** Shape: one token stands for one kind of activity, so the answer of the shared work is of type T. */
  async share<T>(token: string, signals: Signals, work: (signals: Signals) => Promise<T>): Promise<T> {
    const shared = this.live.get(token) ?? this.begin(token, work);
    shared.attempts += 1;
    const cancel = () => shared.cancel.abort(signals.cancel.reason);
    if (signals.cancel.aborted) cancel();
    signals.cancel.addEventListener('abort', cancel, { once: true });
    try {
      // The place token is unique to one activity, and an activity has one type of answer.
      return (await orAborted(shared.promise, signals.detach, giveUp)) as T;
    } finally {
      shared.attempts -= 1;
      signals.cancel.removeEventListener('abort', cancel);
      if (shared.attempts === 0) shared.detach.abort();
    }
  }

  private begin<T>(token: string, work: (signals: Signals) => Promise<T>): Shared {
    const cancel = new AbortController();
    const detach = new AbortController();
    const former = this.leaving.get(token);
    // It is waited for, so it must not go on to its own end.
    cancel.signal.addEventListener('abort', () => former?.cancel.abort(cancel.signal.reason), { once: true });
    const promise = afterLeft(former, () => work({ cancel: cancel.signal, detach: detach.signal })).finally(() => {
      if (this.leaving.get(token)?.promise === promise) this.leaving.delete(token);
      if (this.live.get(token)?.promise === promise) this.live.delete(token);
    });
    // An attempt that has detached no longer listens; the failure is its successor's to meet again.
    promise.catch(() => undefined);
    const shared: Shared = { promise, cancel, detach, attempts: 0 };
    const leave = () => {
      if (this.live.get(token) !== shared) return;
      this.live.delete(token);
      this.leaving.set(token, shared);
    };
    detach.signal.addEventListener('abort', leave, { once: true });
    this.live.set(token, shared);
    return shared;
  }
}

function afterLeft<T>(former: Shared | undefined, work: () => Promise<T>): Promise<T> {
  return former === undefined ? work() : former.promise.catch(() => undefined).then(work);
}

function giveUp(): never {
  throw new DetachedError('this attempt was given up');
}
