/** The person beside landings, whatever meets the engine: asks for them, brings up an engine that is dead, and waits until each has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { landingCalls } from '../../../../client/calls/landing-calls.js';
import type { LandingView } from '../../../../protocol/actors/landing.js';
import { landingId } from '../../../../protocol/names.js';
import { bringUpIfDead, findAgain } from '../bring-up.js';
import type { ChaosHome } from '../chaos-home.js';

const LOOK_AGAIN_MS = 250;
const CALL_MS = 3_000;
const FAILURES_TO_LOOK_AGAIN = 3;

export interface AttendedLanding {
  readonly place: ChaosHome;
  readonly world: { readonly runs: readonly string[] };
  /** Of `performance`. */
  readonly endAt: number;
  client: Client;
}

/** Each call is harmless when it is repeated. */
export async function askForAll(attended: AttendedLanding, onto: string): Promise<void> {
  for (const runId of attended.world.runs)
    await insist(attended, async () => {
      await callsOf(attended).land({ runId, workflowId: runId, onto, by: 'person' });
      return true;
    });
}

/** What the landings answer at their ends. `whileOpen`: what the person does again and again about one that has none yet. */
export async function endedViews(
  attended: AttendedLanding,
  whileOpen: (runId: string) => Promise<void>,
): Promise<readonly LandingView[]> {
  const views: LandingView[] = [];
  for (const runId of attended.world.runs) {
    const closed = async () => {
      const handle = attended.client.workflow.getHandle(landingId(runId));
      const { status } = await handle.describe();
      if (status.name === 'RUNNING') {
        await whileOpen(runId);
        return false;
      }
      views.push((await handle.result()) as LandingView); // Landings answer this.
      return true;
    };
    await insist(attended, closed);
  }
  return views;
}

/** Until it answers true; what it throws meanwhile is the fault at work. Errors: plain Error at the end of the cell's time. */
export async function insist(attended: AttendedLanding, step: () => Promise<boolean>): Promise<void> {
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
      throw new Error(`it did not land in time: ${await tellWhere(attended, last)}`, { cause: last });
    // The engine may stand elsewhere by now, brought up by the person's own command: each call to where it was takes all of its time.
    if (failures >= FAILURES_TO_LOOK_AGAIN) await findAgain(attended);
    await sleep(LOOK_AGAIN_MS);
  }
}

export function callsOf({ client }: Pick<AttendedLanding, 'client'>) {
  return landingCalls(client, (call) => call());
}

/** For people: what the landings and their queue say of themselves, and what was met last. */
async function tellWhere(attended: AttendedLanding, last: unknown): Promise<string> {
  const { client, world, place } = attended;
  const calls = callsOf(attended);
  const ask = async () => {
    const told: unknown[] = [];
    for (const runId of world.runs) {
      const view = await calls.landing(runId);
      told.push(view?.merge, view?.entry, view?.pull, view?.gate);
    }
    return JSON.stringify([...told, ...(await calls.mergeQueues())]);
  };
  const said = await client.withDeadline(Date.now() + CALL_MS, ask).catch((error: unknown) => String(error));
  const pids = (['engine', 'server', 'worker'] as const).map((role) => `${role} ${place.pid(role)}`).join(', ');
  return `${said}; ${pids}; last: ${String(last)}`;
}
