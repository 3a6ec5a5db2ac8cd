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

/** Of a host that is away, or took the work and could not do it however often it was asked. */
export interface Absence {
  /** What the last attempt came to, which may have done the work all the same; null: none was begun. */
  readonly failure: string | null;
}

/** Null: asked again it would fail by the same. */
export function readAbsence(error: unknown): Absence | null {
  if (!(error instanceof ActivityFailure)) return null;
  const isGivenUp = error.retryState === RetryState.TIMEOUT || error.retryState === RetryState.MAXIMUM_ATTEMPTS_REACHED;
  if (!isGivenUp && !isHostAway(error)) return null;
  const { cause } = error;
  // A time limit of the whole has as its cause what the last attempt came to.
  const isOfWhole = cause instanceof TimeoutFailure && OF_WHOLE.includes(cause.timeoutType);
  const last = isOfWhole ? cause.cause : cause;
  const isBegun = last !== undefined || !isHostAway(error);
  return { failure: isBegun ? (last?.message ?? error.message) : null };
}

const OF_WHOLE: readonly unknown[] = ['SCHEDULE_TO_START', 'SCHEDULE_TO_CLOSE'];
