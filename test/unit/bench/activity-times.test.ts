/** What the bench reads in a history: when an answer was heard, and how long an activity was at work on its host. */
import { describe, expect, it } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time.js';
import { type HistoryEvent, heardAt, workOf } from '../../../bench/plain-run.js';

// What the server sends has Longs, which read as numbers do.
const five = 5 as never;
const at = msToTs;

const ASKED: HistoryEvent = { eventId: five, eventTime: at(1_000), activityTaskScheduledEventAttributes: {} };
const EVENTS: readonly HistoryEvent[] = [
  ASKED,
  { eventTime: at(1_200), activityTaskStartedEventAttributes: { scheduledEventId: five } },
  { eventTime: at(1_300), workflowTaskCompletedEventAttributes: {} },
  { eventTime: at(1_600), activityTaskCompletedEventAttributes: { scheduledEventId: five } },
  { eventTime: at(1_605), workflowTaskCompletedEventAttributes: {} },
];

describe('the times of an activity', () => {
  it('are from its slot to its answer', () => {
    expect(workOf(EVENTS, ASKED)).toEqual({ from: 1_200, to: 1_600 });
  });

  it('end for its workflow with the workflow task after its answer', () => {
    expect(heardAt(EVENTS, ASKED)).toBe(1_605);
  });

  it('are no numbers where it has not ended, or there is none', () => {
    const open = EVENTS.slice(0, 3);
    expect([heardAt(open, ASKED), workOf(open, ASKED).to]).toEqual([Number.NaN, Number.NaN]);
    expect([heardAt(EVENTS, undefined), workOf(EVENTS, undefined).from]).toEqual([Number.NaN, Number.NaN]);
  });
});
