/** Tells a host that is away from an activity that failed. Pure. */
import { ActivityFailure, RetryState, TimeoutFailure } from '@temporalio/common';

/** Nobody took the activity in time, so nothing of this attempt was done. */
export function isHostAway(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof TimeoutFailure &&
    error.cause.timeoutType === 'SCHEDULE_TO_START'
  );
}

/** Whoever was asked did not answer, or failed until its time was up: it can be asked again. */
export function isOutOfTime({ cause, retryState }: ActivityFailure): boolean {
  // The server gives the last failure of an activity whose time was up as its cause.
  return cause instanceof TimeoutFailure || retryState === RetryState.TIMEOUT;
}
