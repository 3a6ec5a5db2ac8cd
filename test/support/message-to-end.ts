/** How long a run took from the last message that it heard to its end, by the server's own times. */
import type { WorkflowHandle } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;

/**
 * Without the times in which a task lay in its queue: those are the machine's, not the engine's. Unit: ms.
 * Errors: plain Error where no message was heard.
 */
export async function msFromMessageToEnd(handle: WorkflowHandle): Promise<number> {
  const events = (await handle.fetchHistory()).events ?? [];
  const message = events.findLast(isMessage);
  const last = events.at(-1);
  if (message === undefined || last === undefined) throw new Error(`${handle.workflowId} heard no message`);
  const from = timeOf(message);
  const waits = events.flatMap((event) => queueWait(event, events)).filter(([, started]) => started > from);
  return timeOf(last) - from - covered(waits.map(([scheduled, started]) => [Math.max(from, scheduled), started]));
}

function isMessage(event: Event): boolean {
  return (
    event.workflowExecutionUpdateAcceptedEventAttributes != null ||
    event.workflowExecutionSignaledEventAttributes != null ||
    event.workflowExecutionCancelRequestedEventAttributes != null
  );
}

/** From the schedule of a task to its start, where the event is one. Attempts of an activity that failed are the engine's time. */
function queueWait(event: Event, events: readonly Event[]): readonly [number, number][] {
  const activity = event.activityTaskStartedEventAttributes;
  if ((activity?.attempt ?? 1) > 1) return [];
  const scheduledEventId = event.workflowTaskStartedEventAttributes?.scheduledEventId ?? activity?.scheduledEventId;
  const scheduled = events.find(
    ({ eventId }) => scheduledEventId != null && String(eventId) === String(scheduledEventId),
  );
  return scheduled === undefined ? [] : [[timeOf(scheduled), timeOf(event)]];
}

/** The length of all spans together, where they overlap counted once. */
function covered(spans: readonly (readonly [number, number])[]): number {
  let end = 0;
  let sum = 0;
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

function timeOf(event: Event): number {
  return event.eventTime == null ? Number.NaN : tsToMs(event.eventTime);
}
