/** A person who does the same again until it is done, and brings up an engine that is dead meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { bringUpIfDead, findAgain } from './bring-up.js';
import type { ChaosHome } from './chaos-home.js';

const LOOK_AGAIN_MS = 250;
const CALL_MS = 3_000;
const FAILURES_TO_LOOK_AGAIN = 3;

export interface Attended {
  readonly place: ChaosHome;
  /** Of `performance`. */
  readonly endAt: number;
  client: Client;
}

/**
 * Until the step answers true; what it throws meanwhile is the fault at work. `tell`: for people, how things stand. Errors: plain Error at the end of the cell's time.
 */
export async function insistOn(
  attended: Attended,
  step: () => Promise<boolean>,
  tell: () => Promise<string>,
): Promise<void> {
  for (let failures = 0, last: unknown = null; ; ) {
    try {
      await bringUpIfDead(attended);
      if (await attended.client.withDeadline(Date.now() + CALL_MS, step)) return;
      failures = 0;
    } catch (error) {
      failures += 1;
      last = error;
    }
    if (performance.now() > attended.endAt)
      throw new Error(`it did not end in time: ${await tellWhere(attended, { last, tell })}`, { cause: last });
    // The engine may stand elsewhere by now, brought up by the person's own command: each call to where it was takes all of its time.
    if (failures >= FAILURES_TO_LOOK_AGAIN) await findAgain(attended);
    await sleep(LOOK_AGAIN_MS);
  }
}

async function tellWhere(
  { client, place }: Attended,
  { last, tell }: { readonly last: unknown; readonly tell: () => Promise<string> },
): Promise<string> {
  const said = await client.withDeadline(Date.now() + CALL_MS, tell).catch((error: unknown) => String(error));
  const pids = (['engine', 'server', 'worker'] as const).map((role) => `${role} ${place.pid(role)}`).join(', ');
  return `${said}; ${pids}; last: ${String(last)}`;
}
