/** Waits for a condition that only looking can tell, with a limit, so that a bench that broke says what it waited for. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 20;
const LIMIT_MS = 60_000;

/** Errors: after `limitMs`, with `what`. */
export async function until(what: string, holds: () => Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`after ${limitMs} ms it does not hold that ${what}`);
    await delay(LOOK_MS);
  }
}
