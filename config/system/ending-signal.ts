/**
 * The abort of a piece of work, for what reads files or starts programs deep below it: every read of foreign-file.ts and every git of the work ends
 * with it, and no caller on the way can forget to hand it on. Outside of such a piece of work there is none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<AbortSignal>();

/** **Errors** those of `work`, which meets the signal's reason wherever it reads or starts something. */
export function endingWith<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return current.run(signal, work);
}

export function endingSignal(): AbortSignal | undefined {
  return current.getStore();
}
