/**
 * `approveToNextTurnMs`: a run with a gate before each of its turns; from the moment a person's client sends `approve` to the moment the agent behind the gate
 * reads the clock, its first act. Both are the same clock. `approveMs` is the answer alone.
 */
import type { WorkflowHandle } from '@temporalio/client';
import type { RunView } from '../protocol/messages/run-view.js';
import { STATUS_QUERY } from '../protocol/names.js';
import { TURN_STAGES } from './bench-agent.js';
import { add, closedWell, type Measuring, measureBaselines, startRun } from './plain-run.js';
import { isQuiet } from './quiet-run.js';
import { until } from './until.js';

export async function measureGates(measuring: Measuring, count: number): Promise<void> {
  const { host, samples } = measuring;
  host.agent.watchClock(true);
  for (let n = 0; n < count; n += 1) {
    await measureBaselines(measuring);
    const runId = `bench-gates-${n}`;
    const handle = await startRun(host, runId, { gates: TURN_STAGES });
    for (const stage of TURN_STAGES) {
      await until(`${runId} waits quietly before ${stage}`, () => waitsBefore(handle, stage));
      const sentAt = Date.now();
      const began = performance.now();
      await handle.executeUpdate('approve', { args: [{}] });
      add(samples, 'approveMs', performance.now() - began);
      await until(`the agent of ${stage} is at work`, async () => host.agent.startedAt(runId, stage) !== null);
      add(samples, 'approveToNextTurnMs', (host.agent.startedAt(runId, stage) ?? Number.NaN) - sentAt);
    }
    await closedWell(handle);
  }
  host.agent.watchClock(false);
}

async function waitsBefore(handle: WorkflowHandle, stage: string): Promise<boolean> {
  const view = await handle.query<RunView>(STATUS_QUERY);
  return view.status === 'waiting_for_approval' && view.stage === stage && (await isQuiet(handle, 0));
}
