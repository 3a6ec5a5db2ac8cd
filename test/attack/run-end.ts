/** How a run under attack ended, and whether that could be told. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunResult } from '../../protocol/messages/messages.js';
import type { TestRun } from '../support/test-host.js';

const RUN_LIMIT_MS = 240_000;

export interface RunEnd {
  readonly result: RunResult;
  /** Null: it came to an end that it told. Else what it did in place of that: its tries may be held, but somebody who waits for it was not. */
  readonly broken: string | null;
}

/** One that does not end is ended; its result, as one that cannot be read, is that of a failed run. */
export async function endOf(
  run: Pick<TestRun, 'handle' | 'result' | 'events'>,
  limitMs = RUN_LIMIT_MS,
): Promise<RunEnd> {
  const stop = new AbortController();
  const late = sleep(limitMs, null, { signal: stop.signal }).then(
    async () => {
      const last = run.events().slice(-3);
      await run.handle.terminate('it did not end');
      const said = last.map(({ type, message }) => `${type}: ${message}`).join(', ');
      return broken(`did not end in ${limitMs / 1000} s; its last events: ${said}`);
    },
    () => broken(''),
  );
  const told = run.result().then(
    (result): RunEnd => ({ result, broken: null }),
    (error: unknown) => broken(`has no result that can be read: ${String(error)}`),
  );
  const end = await Promise.race([told, late]);
  stop.abort();
  return end;
}

function broken(why: string): RunEnd {
  return { result: { outcome: 'failed', error: why } as RunResult, broken: why }; // Only these are looked at.
}

/** Of `sh`; one that is named by its path may be hidden from the try, which then is held. */
const NO_PROGRAM = /^sh: (?:line )?\d+: [^\s/:]+: (?:command )?not found$/m;

/** Whether this machine lacks a program that a try starts, so that nothing was tried. `errors`: what its shell said. */
export function lacksProgram(errors: string): boolean {
  return NO_PROGRAM.test(errors);
}
