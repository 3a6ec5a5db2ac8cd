/** Waits for a condition that only looking can tell, with a limit, so that a bench that broke says what it waited for. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS = 20;
const LIMIT_MS = 60_000;

/** Errors: after a minute, with `what`. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`after ${LIMIT_MS} ms it does not hold that ${what}`);
    await delay(LOOK_MS);
  }
}
