/** Spans of a run, from made-up times: they add up, and each point counts for the activity that passed it. */
import { describe, expect, it } from '@jest/globals';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { HistoryEvent } from '../../../bench/plain-run.js';
import { type Point, spansOf } from '../../../bench/span-table.js';

const BEGAN_MS = 1_000_000;

interface Course {
  readonly type: string;
  readonly scheduled: number;
  readonly taken: number;
  readonly answered: number;
}

/** Of a run that starts at 0. */
function historyOf(courses: readonly Course[], closed: number): readonly HistoryEvent[] {
  const event = (at: number, more: object): HistoryEvent => ({
    eventTime: msToTs(BEGAN_MS + at),
    ...more,
  });
  const activities = courses.flatMap(({ type, scheduled, taken, answered }, index) => {
    const scheduledEventId = index + 1;
    const attributes = { activityId: String(scheduledEventId), activityType: { name: type } };
    return [
      event(scheduled, { eventId: scheduledEventId, activityTaskScheduledEventAttributes: attributes }),
      event(taken, { activityTaskStartedEventAttributes: { scheduledEventId } }),
      event(answered, { activityTaskCompletedEventAttributes: { scheduledEventId } }),
    ];
  });
  return [event(0, { workflowExecutionStartedEventAttributes: {} }), ...activities, event(closed, {})];
}

const at = (role: Point['role'], name: string, where: string | null, ms: number): Point => ({
  role,
  name,
  where,
  at: BEGAN_MS + ms,
});

describe('the spans of a run', () => {
  const events = historyOf(
    [
      { type: 'runTurn', scheduled: 10, taken: 12.5, answered: 30 },
      { type: 'runTurn', scheduled: 34, taken: 36, answered: 60 },
      { type: 'closeRun', scheduled: 64, taken: 65, answered: 70 },
    ],
    75.25,
  );
  const points = [
    at('worker', 'activity.before-work', 'runTurn 1', 14),
    at('worker', 'git.before-status', 'runTurn 1', 15),
    at('worker', 'run-file.before-rename', 'runTurn 1', 16),
    at('worker', 'git.after-status', 'runTurn 1', 17),
    at('guard', 'guard.after-go', null, 20),
    at('worker', 'activity.before-answer', 'runTurn 1', 28),
    at('worker', 'activity.before-work', 'runTurn 2', 40),
    at('guard', 'guard.after-go', null, 50),
    at('worker', 'activity.before-answer', 'runTurn 2', 55),
    // Of another run, whose activities have the same ids.
    at('worker', 'activity.before-work', 'runTurn 1', 2_014),
    at('guard', 'guard.after-go', null, 2_020),
  ];
  const { totalMs, parts } = spansOf(events, points, ['planning', 'executing']);

  it('add up to the time from its start to its close', () => {
    expect(totalMs).toBe(75.25);
    expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(totalMs, 6);
  });

  it('are those of its own activities, told apart by what they are', () => {
    expect(parts.map(({ kind, count, ms }) => [kind, count, ms])).toEqual([
      ['start of the workflow', 1, 10],
      ['read-only turn', 1, 24],
      ['write turn', 1, 30],
      ['closeRun', 1, 11.25],
    ]);
  });

  it('end at the points that were passed; what git and files do is counted in them', () => {
    const turn = parts.find(({ kind }) => kind === 'read-only turn');

    expect(turn?.spans.map(({ to, ms }) => [to, ms])).toEqual([
      ['taken by the worker', 2.5],
      ['activity.before-work', 1.5],
      ['guard.after-go', 6],
      ['activity.before-answer', 8],
      ['answer at the server', 2],
      ['next activity scheduled', 4],
    ]);
    expect(turn?.spans.map(({ inside }) => inside)).toEqual([{}, {}, { 'git status': 1, file: 1 }, {}, {}, {}]);
  });

  it('of several turns of a kind are one part, with their mean', () => {
    const both = spansOf(events, points, ['planning', 'reviewing']).parts.find(({ kind }) => kind === 'read-only turn');

    expect([both?.count, both?.ms]).toEqual([2, 54]);
    expect(both?.spans.find(({ to }) => to === 'guard.after-go')).toMatchObject({
      ms: 8,
      inside: { 'git status': 0.5, file: 0.5 },
    });
  });

  it('are refused for a history that has no activity', () => {
    expect(() => spansOf(historyOf([], 5), points, [])).toThrow('no activity');
  });
});
