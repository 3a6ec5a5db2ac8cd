/**
 * Removes what a closed run left on its host: one activity on the host's own queue, so that a client on another machine can ask for it.
 * Waits for: that activity; a host that is away for a minute keeps the run, and the person is told. Survives: the loss of worker and server;
 * removing twice is removing once.
 */
import type { CleanRunInput, CleanRunResult } from '../../protocol/actors/clean.js';
import { askedHost } from '../activity-options.js';
import { isHostAway } from '../actor/away-host.js';

export async function clean(input: CleanRunInput): Promise<CleanRunResult> {
  const { hostId, run } = input;
  try {
    return await askedHost(hostId).cleanRun.executeWithOptions({ summary: `clean ${run.runId}` }, [input]);
  } catch (error) {
    if (!isHostAway(error)) throw error;
    return {
      kind: 'kept',
      why: `Run ${run.runId} was not cleaned: its host ${hostId} is away; nobody took the work for a minute.\nA run's own host removes what it left.\nNothing more is removed until it is back.\nOn that host: sluice up && sluice clean ${run.runId}`,
    };
  }
}
