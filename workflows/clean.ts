/**
 * Removes what a closed run left on its host: one activity on the host's own queue, so that a client on another machine can ask for it.
 * Waits for: that activity. Survives: the loss of worker, server and host; removing twice is removing once.
 */
import type { CleanRunInput, CleanRunResult } from '../protocol/clean.js';
import { cleaningHost } from './aside-options.js';

export async function clean(input: CleanRunInput): Promise<CleanRunResult> {
  return cleaningHost(input.hostId).cleanRun.executeWithOptions({ summary: `clean ${input.run.runId}` }, [input]);
}
