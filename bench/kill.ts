/**
 * `killToAttendedMs`, `agentStarts`: the worker is killed with SIGKILL in mid-turn; attended again is the first heartbeat of the new attempt, as the
 * server noted it. Several runs wait in their turns at once, so that one kill gives several samples.
 */
import { rmSync } from 'node:fs';
import type { WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { BenchHost } from './bench-host.js';
import type { Samples } from './figures.js';
import { add, closedWell, startRun } from './plain-run.js';
import { until } from './until.js';

const RUNS = 4;

export async function measureKill(host: BenchHost, samples: Samples): Promise<void> {
  const { agent } = host;
  agent.hold();
  const handles = await Promise.all(Array.from({ length: RUNS }, (_, n) => startRun(host, `bench-kill-${n}`)));
  const waiting = () => handles.filter(({ workflowId }) => agent.starts().has(`${workflowId} planning`)).length;
  await until('every agent is at work', async () => waiting() === RUNS);
  // Past the first heartbeat, so that the server waits a whole time limit.
  await until('every turn has a heartbeat', async () =>
    (await Promise.all(handles.map(heartbeatOf))).every((beat) => beat !== null),
  );
  const worker = host.workerPid();
  const killedAt = Date.now();
  process.kill(worker, 'SIGKILL');
  for (const attended of await Promise.all(handles.map((handle) => attendedAfter(handle, killedAt)))) {
    add(samples, 'killToAttendedMs', attended - killedAt);
  }
  samples['heartbeatTimeoutMs'] = await Promise.all(handles.map((handle) => heartbeatTimeoutOf(handle)));
  rmSync(agent.holdPath);
  await Promise.all(handles.map((handle) => closedWell(handle)));
  const counts = [...agent.starts()].filter(([place]) => place.startsWith('bench-kill-')).map(([, count]) => count);
  add(samples, 'agentStarts', Math.max(...counts));
}

/** Of the activity that waits: the last one scheduled. */
async function heartbeatTimeoutOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return tsToMs(scheduled.at(-1)?.heartbeatTimeout);
}

interface Beat {
  readonly attempt: number;
  readonly at: number;
}

async function heartbeatOf(handle: WorkflowHandle): Promise<Beat | null> {
  const { raw } = await handle.describe();
  const [activity] = raw.pendingActivities ?? [];
  if (activity?.lastHeartbeatTime == null) return null;
  return { attempt: activity.attempt ?? 0, at: tsToMs(activity.lastHeartbeatTime) };
}

/** While the next attempt waits for a worker the server still shows the last heartbeat of the dead one. */
async function attendedAfter(handle: WorkflowHandle, killedAt: number): Promise<number> {
  let found: number | null = null;
  await until(`${handle.workflowId} is attended again`, async () => {
    const beat = await heartbeatOf(handle);
    if (beat !== null && beat.attempt > 1 && beat.at > killedAt) found = beat.at;
    return found !== null;
  });
  return found ?? Number.NaN;
}
