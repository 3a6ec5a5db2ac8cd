/** The durable timers of a run as its history recorded them: what it waits for is asserted there, instead of waiting. */
import type { WorkflowHandle } from '@temporalio/client';
import { optionalTsToMs, requiredTsToMs } from '@temporalio/common/lib/time.js';

/** Unit: ms; times since 1970 by the server's clock. */
export interface HistoryTimer {
  readonly ms: number;
  readonly startedAt: number;
  /** Null: it has not fired, or was cancelled. */
  readonly firedAt: number | null;
}

/** In the order of their start. */
export async function timersOf(handle: WorkflowHandle): Promise<readonly HistoryTimer[]> {
  const events = (await handle.fetchHistory()).events ?? [];
  const fired = new Map(
    events.map((event) => [event.timerFiredEventAttributes?.timerId, optionalTsToMs(event.eventTime) ?? null]),
  );
  return events.flatMap(({ eventTime, timerStartedEventAttributes: timer }) =>
    timer === null || timer === undefined
      ? []
      : [
          {
            ms: requiredTsToMs(timer.startToFireTimeout, 'startToFireTimeout'),
            startedAt: requiredTsToMs(eventTime, 'eventTime'),
            firedAt: fired.get(timer.timerId) ?? null,
          },
        ],
  );
}
