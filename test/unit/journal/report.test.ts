import { describe, expect, it } from '@jest/globals';
import { type ReportInput, renderReport } from '../../../activities/journal/report.js';
import { roundsSection } from '../../../activities/journal/report-history.js';
import type { EventType, JournalEvent } from '../../../protocol/messages/journal.js';
import type { JsonObject } from '../../../protocol/text/json.js';
import { computeMetrics } from '../../../protocol/views/metrics.js';
import { anEvent, aView, NO_BUDGET } from './journal-builders.js';

const [FIRST, SECOND] = ['1'.repeat(40), '2'.repeat(40)];

/** Lines of a journal, each at a second of the run's first hour. */
function aJournal(
  lines: readonly (readonly [second: number, type: EventType, message: string, data: JsonObject])[],
): JournalEvent[] {
  return lines.map(([second, type, message, data], index) =>
    anEvent(index + 1, {
      timestamp: new Date(Date.parse('2026-11-21T10:00:00.000Z') + second * 1000).toISOString(),
      type,
      message,
      data,
    }),
  );
}

function aTurn(stage: string, round: number, rest: JsonObject = {}): JsonObject {
  const usage = { tokensIn: 10, tokensOut: 5, costMicroUsd: 250_000 };
  return {
    stage,
    round,
    seq: 4,
    agent: 'robot',
    adapter: 'command',
    model: null,
    exitCode: 0,
    outcome: 'done',
    durationMs: 30_000,
    ...usage,
    ...rest,
  };
}

const gate = { gate: 'gate-1', stage: 'executing', source: 'agent', commit: FIRST, by: null, note: null };
const aCommand = (round: number, status: string) => ({ command: 'npm test', status, round, durationMs: 1000 });

const events = aJournal([
  [0, 'turn.failed', 'executing turn rate_limited: 429', aTurn('executing', 0, { outcome: 'rate_limited' })],
  [
    1,
    'turn.retried',
    'executing turn again in 20 s after rate_limited, retry 1',
    { stage: 'executing', seq: 4, outcome: 'rate_limited', retry: 1, waitMs: 20_000 },
  ],
  [60, 'approval.requested', 'gate-1 before executing: a new dependency', gate],
  [240, 'approval.approved', 'gate-1 approved', { ...gate, by: 'ada', note: 'fine \u202eby me' }],
  [250, 'run.steered', 'ada says: keep it small', { by: 'ada', text: 'keep it small' }],
  [251, 'run.pause_requested', 'ada asks for a pause', { by: 'ada', text: 'lunch' }],
  [260, 'turn.completed', 'executing turn done', aTurn('executing', 0)],
  [260, 'git.committed', 'c', { commit: FIRST, stage: 'executing' }],
  [261, 'run.paused', 'paused at executing', { at: 'executing' }],
  [321, 'run.resumed', 'resumed at executing', { at: 'executing' }],
  [330, 'validation.command.completed', 'red', aCommand(0, 'failed')],
  [
    331,
    'review.decision',
    'CHANGES_REQUESTED',
    { value: 'CHANGES_REQUESTED', source: 'validation', commit: FIRST, round: 0 },
  ],
  [332, 'state.changed', 'reviewing → fixing', { from: 'reviewing', to: 'fixing', round: 1 }],
  [400, 'turn.completed', 'fixing turn done', aTurn('fixing', 1)],
  [400, 'git.committed', 'c', { commit: SECOND, stage: 'fixing' }],
  [401, 'validation.command.completed', 'green', aCommand(1, 'passed')],
  [430, 'review.decision', 'APPROVED', { value: 'APPROVED', source: 'agent', commit: SECOND, round: 1 }],
]);

const ENDED = '2026-11-21T10:10:00.000Z';

function aReport(overrides: Partial<ReportInput> = {}): string {
  const journal = overrides.events ?? events;
  return renderReport({
    view: aView({ reviewLoopCount: 1, maxReviewLoops: 2, worktree: '/home/w/run' }),
    events: journal,
    validation: null,
    changes: { kind: 'listed', files: [] },
    findings: [],
    notes: [],
    metrics: computeMetrics(journal, '2026-11-21T10:00:00.000Z', ENDED),
    budget: NO_BUDGET,
    verdict: 'verified',
    verdictReasons: [],
    ...overrides,
  });
}

describe('metrics', () => {
  it('are told of a journal of any length', () => {
    const long = Array.from({ length: 300_000 }, (_, index) =>
      anEvent(index + 1, { type: 'state.changed', data: { round: 2 } }),
    );

    expect(computeMetrics(long, '2026-11-21T10:00:00.000Z', ENDED)).toMatchObject({ rounds: 2, turns: 0 });
  });

  it.each<readonly [EventType, EventType]>([
    ['approval.requested', 'approval.reminded'],
    ['run.paused', 'run.paused'],
    ['usage_limit.waiting', 'usage_limit.cleared'],
  ])('look at each line of a journal of %s and %s a few times, however long it is', (first, second) => {
    let looks = 0;
    const lines = Array.from({ length: 2_000 }, (_, index) => {
      const event = anEvent(index + 1, { type: index % 2 === 0 ? first : second, data: {} });
      return new Proxy(event, {
        get(target, name) {
          looks += 1;
          return Reflect.get(target, name);
        },
      });
    });

    computeMetrics(lines, '2026-11-21T10:00:00.000Z', ENDED);

    expect(looks).toBeLessThan(50 * lines.length);
  });

  it('count failed attempts in turns, tokens, cost and time, and tell waits for people and back-offs from the rest', () => {
    expect(computeMetrics(events, '2026-11-21T10:00:00.000Z', ENDED)).toEqual({
      rounds: 1,
      turns: 3,
      failedAttempts: 1,
      tokensIn: 30,
      tokensOut: 15,
      costMicroUsd: 750_000,
      wallMs: 600_000,
      agentMs: 90_000,
      validationMs: 2000,
      waitingForPeopleMs: 240_000,
      backOffMs: 20_000,
      engineMs: 248_000,
    });
  });

  it('count no attempt whose agent was not started, since its account is closed', () => {
    const failed = { durationMs: 1_000, tokensIn: 5, tokensOut: 1, costMicroUsd: 2 };
    const spared = aJournal([
      [0, 'turn.failed', 'met the limit', failed],
      [1, 'turn.failed', 'spared', { ...failed, started: false }],
    ]);

    expect(computeMetrics(spared, '2026-11-21T10:00:00.000Z', ENDED)).toMatchObject({
      turns: 1,
      failedAttempts: 1,
      tokensIn: 5,
      costMicroUsd: 2,
    });
  });

  it('count a back-off until the next attempt or the end of the run, and never more than was planned', () => {
    const [hour, failed] = [3_600_000, { durationMs: 0 }];
    const cut = aJournal([
      [0, 'turn.retried', 'in an hour', { waitMs: hour }],
      [10, 'turn.started', 'sooner', {}],
      [20, 'turn.retried', 'in a second', { waitMs: 1_000 }],
      [100, 'turn.started', 'after a pause', {}],
      [110, 'turn.failed', 'again', failed],
      [540, 'turn.retried', 'in an hour', { waitMs: hour }],
    ]);

    expect(computeMetrics(cut, '2026-11-21T10:00:00.000Z', ENDED).backOffMs).toBe(10_000 + 1_000 + 60_000);
  });

  it('of a run that ended while it waited count the wait until then', () => {
    const waiting = aJournal([
      [0, 'usage_limit.waiting', 'w', { until: null, agent: 'robot' }],
      [30, 'usage_limit.waiting', 'still', { until: null, agent: 'robot' }],
      [60, 'usage_limit.cleared', 'c', { until: null, agent: 'robot' }],
      [300, 'approval.requested', 'gate-1 before executing: x', gate],
    ]);

    expect(computeMetrics(waiting, '2026-11-21T10:00:00.000Z', ENDED)).toMatchObject({
      waitingForPeopleMs: 300_000,
      backOffMs: 60_000,
    });
  });
});

describe('report.md', () => {
  it('shows each round with its checks, its review and its commits', () => {
    expect(aReport()).toContain(
      [
        '1 of 2 fix rounds used.',
        '',
        '| Round | Checks | Review | Commits |',
        '| --- | --- | --- | --- |',
        '| 0 | 1 of 1 red | CHANGES_REQUESTED by validation | `1111111111` |',
        '| 1 | 1 not red | APPROVED by agent | `2222222222` |',
      ].join('\n'),
    );
  });

  it('copies no list once for each line of a journal', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => anEvent(index + 1, { data: { round: 0 } }));
    const walk = Array.prototype[Symbol.iterator];
    let walks = 0;
    Array.prototype[Symbol.iterator] = function (this: unknown[]) {
      walks += 1;
      return walk.call(this);
    };

    try {
      roundsSection({ view: aView(), events: lines });
    } finally {
      Array.prototype[Symbol.iterator] = walk;
    }

    expect(walks).toBeLessThan(lines.length);
  });

  it('shows who decided each gate, when, about which commit and with which note', () => {
    expect(aReport()).toContain(
      '- gate-1 before executing: a new dependency (agent, on 1111111111). Approved by ada at 2026-11-21T10:04:00.000Z after 3 min 0 s: fine <U+202E>by me',
    );
  });

  it('says so where nobody decided', () => {
    const requested = events.filter(({ type }) => type === 'approval.requested');
    const expired = [
      ...requested,
      ...aJournal([[90, 'approval.expired', 'gate-1 expired', gate]]).map((event) => ({ ...event, seq: 99 })),
    ];

    expect(aReport({ events: requested })).toContain(
      'a new dependency (agent, on 1111111111). Open when the run ended.',
    );
    expect(aReport({ events: expired })).toContain('Expired at 2026-11-21T10:01:30.000Z after 30.0 s: nobody decided.');
  });

  it('shows what each stage cost, where its agents tell it', () => {
    expect(aReport()).toContain(
      [
        '| Stage | Turns | Time | Tokens in | Tokens out | USD |',
        '| --- | --- | --- | --- | --- | --- |',
        '| executing | 2 | 1 min 0 s | 20 | 10 | 0.5000 |',
        '| fixing | 1 | 30.0 s | 10 | 5 | 0.2500 |',
      ].join('\n'),
    );
    const untold = aJournal([
      [0, 'turn.completed', 'done', aTurn('planning', 0, { tokensIn: null, tokensOut: null, costMicroUsd: null })],
    ]);
    expect(aReport({ events: untold })).not.toContain('Tokens in');
  });

  it("allows the run's budget once more for a grant of its own, not for one of the day's", () => {
    const budgetGate = { ...gate, source: 'budget' };
    const own = { limit: 'turns', used: 3, allowed: 3 };
    const lines = (limit: JsonObject) =>
      aJournal([
        [0, 'turn.completed', 'done', aTurn('planning', 0)],
        [1, 'budget.limit', 'used up', limit],
        [2, 'approval.approved', 'gate-1 approved', budgetGate],
      ]);
    const budget = { ...NO_BUDGET, turns: 3 };

    expect(aReport({ events: lines(own), budget })).toContain('| Turns | 1 | 6 |');
    expect(aReport({ events: lines({ ...own, day: '2026-11-21' }), budget })).toContain('| Turns | 1 | 3 |');
  });

  it('shows what people wrote, what failed on the way, and what was used of the budget', () => {
    const text = aReport({
      budget: { turns: 20, minutes: null, microUsd: 5_000_000, tokens: null, onLimit: 'stop', day: null },
    });

    for (const line of [
      '- 2026-11-21T10:04:10.000Z: ada says: keep it small',
      '- 2026-11-21T10:04:11.000Z: ada asks for a pause: lunch',
      '- 2026-11-21T10:00:01.000Z: executing turn again in 20 s after rate_limited, retry 1',
      '| Turns | 3 | 20 |',
      '| Minutes of agents | 1.5 | no limit |',
      '| USD | 0.75 | 5.00 |',
      'Beside that: 4 min 0 s waiting for people, 20.0 s between failed attempts.',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('leaves out what did not happen', () => {
    const text = aReport({ events: [] });

    expect(text).not.toMatch(/## (?:Gates|Notes of people|Failed attempts)/);
    expect(text).toContain('not told by every turn');
  });

  it('of a blocked run has the findings that are open, and names what the command line names', () => {
    const blocked = { status: 'blocked', outcome: 'blocked', runId: 'run-1' } as const;
    const findings = ['F1 (high, correctness): it divides by zero'];
    const text = aReport({ view: aView(blocked), findings });

    expect(text).toContain('## Open findings\n\n- F1 (high, correctness): it divides by zero');
    expect(text.slice(text.indexOf('## How to go on'))).toContain('sluice rewind run-1');
    expect(aReport({ view: aView(blocked) })).not.toContain('## Open findings');
    expect(
      aReport({ view: aView({ ...blocked, status: 'merge_ready', outcome: 'merge_ready' }), findings }),
    ).not.toContain('divides by zero');
  });

  it('of an aborted run ends with the commands that remove worktree and branch', () => {
    const text = aReport({
      view: aView({
        status: 'aborted',
        outcome: 'aborted',
        worktree: "/home/o'neil/run",
        branch: 'sluice/run-1',
        runId: 'run-1',
      }),
    });

    expect(text.slice(text.indexOf('## How to go on'))).toBe(`## How to go on

The run was ended by a person. Its branch and worktree stay as they are. To remove what it left:

\`\`\`sh
sluice clean run-1 --give-up
\`\`\`

Or with git alone:

\`\`\`sh
git worktree remove --force '/home/o'\\''neil/run'
git branch -D sluice/run-1
\`\`\`
`);
  });
});
