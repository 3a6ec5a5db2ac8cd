/** Tells a host that is away from an activity that failed: nobody took the activity in time, so nothing of this attempt was done. */
import { ActivityFailure, TimeoutFailure } from '@temporalio/common';

export function isHostAway(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof TimeoutFailure &&
    error.cause.timeoutType === 'SCHEDULE_TO_START'
  );
}
