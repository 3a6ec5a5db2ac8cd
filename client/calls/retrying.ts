/**
 * What a run tries again and again: an activity whose last attempts failed. A run retries without end, so without this
 * one that can never go on looks as healthy as one at work. Pure; the message comes from elsewhere and leaves redacted, on one line.
 */
import { systemTroubleIn } from '../../config/system/system-trouble.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';

export interface Retrying {
  readonly activity: string;
  /** The attempt that runs or waits now; the first is 1. */
  readonly attempt: number;
  /** Of the last failure, with what mends it where its machine is the reason; one printable line. */
  readonly message: string;
}

/** What the server tells of an activity that did not end. */
export interface PendingActivity {
  readonly activityType?: { readonly name?: string | null } | null;
  readonly attempt?: number | null;
  readonly lastFailure?: { readonly message?: string | null } | null;
}

/** One lost attempt is everyday life: a worker was restarted, a heartbeat came late. */
const TELL_FROM_ATTEMPT = 3;
const MAX_MESSAGE_CHARS = 300;

/** The activity with the most attempts, or null where none is worth telling. */
export function retryingOf(pending: readonly PendingActivity[]): Retrying | null {
  const worst = pending.toSorted((a, b) => (b.attempt ?? 0) - (a.attempt ?? 0))[0];
  if (worst === undefined || (worst.attempt ?? 0) < TELL_FROM_ATTEMPT) return null;
  return {
    activity: oneLine(worst.activityType?.name ?? 'unknown'),
    attempt: worst.attempt ?? 0,
    message: withMend(oneLine(worst.lastFailure?.message ?? 'no reason is known')),
  };
}

/** Shape: `attempt 10: <message>`. */
export function retryText({ attempt, message }: Retrying): string {
  return `attempt ${attempt}: ${message}`;
}

/** The run waits on another machine perhaps: the command is for that one. */
function withMend(message: string): string {
  const trouble = systemTroubleIn(message, null);
  return trouble === null ? message : `${message} · ${trouble.short}; on its host: ${trouble.mend}`;
}

function oneLine(text: string): string {
  // Cut last, so that no half of a secret escapes the redaction.
  const line = printableLine(redact(text)).trim();
  return line.length > MAX_MESSAGE_CHARS ? `${line.slice(0, MAX_MESSAGE_CHARS)}…` : line;
}
