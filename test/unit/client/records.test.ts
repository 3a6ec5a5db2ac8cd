import { describe, expect, it } from '@jest/globals';
import { auditOf } from '../../../client/cli/commands/audit.js';
import { isTold } from '../../../client/cli/commands/budget.js';
import { clockFromStart, timelineOf } from '../../../client/cli/commands/replay.js';
import { rewindInput } from '../../../client/cli/commands/rewind.js';
import type { EventType, JournalEvent } from '../../../protocol/messages/journal.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { budgetRows } from '../../../protocol/run/budget-limits.js';
import type { JsonObject } from '../../../protocol/text/json.js';

function anEvent(
  seq: number,
  type: EventType,
  data: JsonObject = {},
  timestamp = '2026-01-01T00:00:00.000Z',
): JournalEvent {
  return { seq, type, data, timestamp, message: `event ${seq}` };
}

describe('the timeline of a run', () => {
  it('counts from the first event, never below it, in the order of time', () => {
    const times = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.250Z', '2025-12-31T23:59:59.000Z', 'never'];

    const since = timelineOf(times.map((time, index) => anEvent(index + 1, 'turn.started', {}, time))).map(
      ({ sinceStartMs }) => sinceStartMs,
    );

    expect(since).toEqual([0, 0, 1250, null]);
  });

  it.each([
    [0, '+0:00:00.0'],
    [61_299, '+0:01:01.2'],
    [30 * 24 * 3_600_000, '+720:00:00.0'],
    [null, '+?'],
  ])('shows %s ms as %s', (ms, text) => {
    expect(clockFromStart(ms).trim()).toBe(text);
  });
});

describe('the budget of a run', () => {
  it('does not say that nothing was spent where no agent tells what it costs', () => {
    const quiet = { costMicroUsd: null, tokensIn: null };
    const told = { costMicroUsd: 1, tokensIn: 1 };

    for (const unit of ['usd', 'tokens'])
      expect([isTold(unit, [quiet]), isTold(unit, [quiet, told]), isTold(unit, [])]).toEqual([false, true, true]);
    expect(isTold('turns', [quiet])).toBe(true);
  });
});

describe('the audit of a run', () => {
  it('tells who decided what about which commit, and what was refused or violated, and nothing else', () => {
    const commit = 'c'.repeat(40);
    const entries = auditOf([
      anEvent(1, 'state.changed'),
      anEvent(2, 'turn.completed'),
      anEvent(3, 'review.decision', { value: 'APPROVED', source: 'agent', commit }),
      anEvent(4, 'approval.approved', { gate: 'gate-1', by: 'kim@host', note: 'fine', commit }),
      anEvent(5, 'message.refused', { name: 'approve', by: 'bot', why: 'no gate is open' }),
      anEvent(6, 'policy.violation', { rule: 'block', paths: ['.env'] }),
      anEvent(7, 'approval.expired', { gate: 'gate-2', by: null, note: null, commit: null, source: 'policy' }),
    ]);

    expect(entries.map(({ seq, about, who, commit: at, note }) => [seq, about, who, at, note])).toEqual([
      [3, 'decision', 'agent', commit, null],
      [4, 'decision', 'kim@host', commit, 'fine'],
      [5, 'refused', 'bot', null, 'no gate is open'],
      [6, 'violation', 'engine', null, null],
      [7, 'decision', 'engine', null, null],
    ]);
  });
});

describe('a journal that anybody wrote', () => {
  it('is no decision where its type is the name of something that every object has', () => {
    expect(auditOf([anEvent(1, 'constructor' as EventType), anEvent(2, '__proto__' as EventType)])).toEqual([]);
  });
});

describe('the budget of a run', () => {
  const used = { turns: 7, minutes: 12.5, microUsd: 2_500_000, tokens: 900 };

  it('is allowed once more for each grant, and nothing is left below zero', () => {
    expect(budgetRows(used, { turns: 3, minutes: 10, microUsd: 2_000_000, tokens: 300 }, 1)).toEqual([
      { of: 'turns', used: 7, allowed: 6, left: 0 },
      { of: 'minutes', used: 12.5, allowed: 20, left: 7.5 },
      { of: 'usd', used: 2.5, allowed: 4, left: 1.5 },
      { of: 'tokens', used: 900, allowed: 600, left: 0 },
    ]);
  });

  it('has no rest where nothing is limited', () => {
    expect(budgetRows(used, null, 0).map(({ allowed, left }) => [allowed, left])).toEqual([
      [null, null],
      [null, null],
      [null, null],
      [null, null],
    ]);
  });
});

describe('the start input of a rewind', () => {
  const view = { runId: 'run-1', task: 'fix it\nnow', title: 'fix', repo: '/repository', host: 'host-1' } as RunView;

  it('copies task, title, repository and host of the source, and names the stage only where one is asked for', () => {
    const copied = { task: 'fix it\nnow', title: 'fix', repo: '/repository', host: 'host-1' };

    expect(rewindInput({ view }, 'executing', true)).toEqual({
      ...copied,
      attended: true,
      rewind: { runId: 'run-1', stage: 'executing' },
    });
    expect(rewindInput({ view }, null, false)).toEqual({ ...copied, attended: false, rewind: { runId: 'run-1' } });
  });
});
