/** Whether a task that could not be handed in was refused, or its host or backlog is only away. Pure. */
import { type ActivityFailure, RetryState, TimeoutFailure } from '@temporalio/common';
import { readRefusal } from '../../protocol/text/refusal.js';

/** In words of the refusal. Null: whoever was asked did not answer, or failed until its time was up, and can be asked again. */
export function whyRefused({ cause, retryState, message }: ActivityFailure): string | null {
  // The server gives the last failure of an activity whose time was up as its cause.
  if (cause instanceof TimeoutFailure || retryState === RetryState.TIMEOUT) return null;
  return readRefusal(cause)?.what ?? cause?.message ?? message;
}
