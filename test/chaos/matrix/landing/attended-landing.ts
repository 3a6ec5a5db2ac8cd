/** The person beside landings, whatever meets the engine: asks for them, brings up an engine that is dead, and waits until each has ended. */
import { landingCalls } from '../../../../client/calls/landing-calls.js';
import type { LandingView } from '../../../../protocol/actors/landing.js';
import { landingId } from '../../../../protocol/names.js';
import { type Attended, insistOn } from '../insist.js';

export interface AttendedLanding extends Attended {
  readonly world: { readonly runs: readonly string[] };
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

/** As `insistOn`. */
export function insist(attended: AttendedLanding, step: () => Promise<boolean>): Promise<void> {
  return insistOn(attended, step, () => tellWhere(attended));
}

export function callsOf({ client }: Pick<AttendedLanding, 'client'>) {
  return landingCalls(client, (call) => call());
}

/** For people: what the landings and their queue say of themselves. */
async function tellWhere(attended: AttendedLanding): Promise<string> {
  const { world } = attended;
  const calls = callsOf(attended);
  const told: unknown[] = [];
  for (const runId of world.runs) {
    const view = await calls.landing(runId);
    told.push(view?.merge, view?.entry, view?.pull, view?.gate);
  }
  return JSON.stringify([...told, ...(await calls.mergeQueues())]);
}
