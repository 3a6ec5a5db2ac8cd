/** Whether a task that could not be handed in was refused, or its host or backlog is only away. Pure. */
import type { ActivityFailure } from '@temporalio/common';
import { readRefusal } from '../../protocol/text/refusal.js';
import { isOutOfTime } from '../actor/away-host.js';

/** In words of the refusal. Null: whoever was asked did not answer, or failed until its time was up, and can be asked again. */
export function whyRefused(failure: ActivityFailure): string | null {
  const { cause, message } = failure;
  return isOutOfTime(failure) ? null : (readRefusal(cause)?.what ?? cause?.message ?? message);
}
