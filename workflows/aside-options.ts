/**
 * Time-outs, retries and queues of the activities beside a run: telling people and cleaning up. Unlike a run's own activities they give up,
 * since no run waits for them. Both go to the host's light queue.
 */
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { HostActivities } from '../activities/index.js';
import { NON_RETRYABLE_TYPES } from '../protocol/failures.js';
import { hostQueue } from '../protocol/names.js';

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
