/** Waits for a condition of the outside world that sends no event: a file, a process, an answer of the server. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 20;

/** Errors: plain Error that names the condition, after `limitMs`: what takes so long hangs, however busy the machine is. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 250_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await sleep(LOOK_AGAIN_MS);
  }
}
