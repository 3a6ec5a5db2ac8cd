/**
 * Time-outs, retries and queues of the activities beside a run: telling people, cleaning up, and starting a quota gate. Unlike a run's own activities they give up,
 * since no run waits for them for ever. What touches no host goes to the control worker.
 */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities, HostActivities } from '../activities/index.js';
import { NON_RETRYABLE_TYPES } from '../protocol/failures.js';
import { hostQueue, TASK_QUEUE } from '../protocol/names.js';

const MINUTE_MS = 60_000;
/** Light work beats twice a second. */
const HEARTBEAT_MS = 5_000;

/** Five attempts over about three minutes: 2, 8, 32 and 128 s apart. */
export function notifyingHost(hostId: string) {
  return proxyActivities<Pick<HostActivities, 'deliver'>>({
    taskQueue: hostQueue(hostId),
    // A program has 20 s and its end a few more; an address has 10 s.
    startToCloseTimeout: 40_000,
    heartbeatTimeout: HEARTBEAT_MS,
    // A program that was started is ended before the notification closes.
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: 2_000,
      backoffCoefficient: 4,
      maximumInterval: 5 * MINUTE_MS,
      maximumAttempts: 5,
      nonRetryableErrorTypes: [...NON_RETRYABLE_TYPES],
    },
  });
}

/** A person waits: a host that is away is waited for a minute. A removal that fails again and again is told to the person who asked. */
export function cleaningHost(hostId: string) {
  return proxyActivities<Pick<HostActivities, 'cleanRun'>>({
    taskQueue: hostQueue(hostId),
    scheduleToStartTimeout: MINUTE_MS,
    startToCloseTimeout: 5 * MINUTE_MS,
    heartbeatTimeout: HEARTBEAT_MS,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: 500, maximumAttempts: 5, nonRetryableErrorTypes: [...NON_RETRYABLE_TYPES] },
  });
}

/** One call of the server; whoever cannot make it for a minute waits by a timer alone. */
export function controlHost() {
  return proxyActivities<ControlActivities>({
    taskQueue: TASK_QUEUE,
    startToCloseTimeout: 10_000,
    scheduleToCloseTimeout: MINUTE_MS,
    // Short and without heartbeats: nothing is there to be told.
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: 200, backoffCoefficient: 2, maximumInterval: 5_000 },
  });
}
