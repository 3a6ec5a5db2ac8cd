/** Why the open activity of a run is tried again, as the server shows it. */
import type { TestRun } from './test-host.js';
import { until } from './until.js';

const LIMIT_MS = 120_000;

/** Waits for a failure. Of a run that ended without one it says so. */
export async function whyItWaits(run: TestRun): Promise<string> {
  let why = '';
  await until(async () => {
    const { raw, status } = await run.handle.describe();
    const failures = (raw.pendingActivities ?? []).flatMap(({ lastFailure }) => lastFailure?.message ?? []);
    why = status.name === 'RUNNING' ? failures.join('\n') : `it ended: ${status.name}`;
    return why !== '';
  }, LIMIT_MS);
  return why;
}
