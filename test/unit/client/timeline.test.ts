/** Whose time a run took: every moment is somebody's, once, as the journal says, whatever the journal is like. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LANES, type SpanKind, type TimelineLine, tellTimeline } from '../../../client/views/timeline.js';
import { type LineFacts, pickFacts } from '../../../client/views/timeline-facts.js';
import { drawTimeline } from '../../../page/parts/timeline-shapes.js';
import { leastCpuMs } from '../../support/least-cpu.js';
import { expectLinearCost } from '../../support/linear-cost.js';

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

const line = (second: number, type: string, facts: LineFacts = {}): TimelineLine => ({
  timestamp: new Date(BEGIN + second * 1_000).toISOString(),
  type,
  facts,
});

const turn = (durationMs: number, rest: LineFacts = {}): LineFacts => ({
  stage: 'executing',
  seq: 2,
  agent: 'robot',
  outcome: 'done',
  durationMs,
  tokensIn: 10,
  tokensOut: 5,
  costMicroUsd: 300_000,
  started: true,
  ...rest,
});

const gate = (by: string | null = null): LineFacts => ({ gate: 'gate-1', stage: 'executing', by });

/** In seconds since the begin. */
const told = (lines: readonly TimelineLine[], now = 0) => {
  const timeline = tellTimeline(lines, BEGIN + now * 1_000);
  const spans = (timeline?.spans ?? []).map(
    ({ kind, from, to, isOpen }) => `${kind} ${(from - BEGIN) / 1_000}-${(to - BEGIN) / 1_000}${isOpen ? ' open' : ''}`,
  );
  return { timeline, spans };
};

describe('the timeline of a run', () => {
  it('gives agents and checks what was measured, people and limits what they were waited for, and the engine the rest', () => {
    const { spans, timeline } = told([
      line(0, 'run.created'),
      line(2, 'git.worktree.created'),
      line(5, 'worktree.setup.completed', { command: 'npm ci' }),
      line(6, 'approval.requested', gate()),
      line(60, 'approval.approved', gate('kim@host')),
      line(60, 'turn.started', { stage: 'executing', agent: 'robot' }),
      line(70, 'turn.failed', turn(9_000, { outcome: 'rate_limited', costMicroUsd: null })),
      line(70, 'turn.retried', { stage: 'executing', outcome: 'rate_limited', waitMs: 20_000 }),
      line(91, 'turn.started', { stage: 'executing', agent: 'robot' }),
      line(100, 'turn.completed', turn(8_000)),
      line(101, 'run.paused'),
      line(111, 'run.resumed'),
      line(111, 'validation.started', { commands: 1 }),
      line(120, 'validation.command.completed', { command: 'npm test', status: 'passed', durationMs: 7_000 }),
      line(121, 'usage_limit.waiting', { agent: 'robot' }),
      line(125, 'usage_limit.waiting', { agent: 'robot' }),
      line(130, 'usage_limit.cleared', { agent: 'robot' }),
      line(132, 'run.completed'),
      line(140, 'notification.sent'),
    ]);

    expect(spans).toEqual([
      'engine 0-2',
      'setup 2-5',
      'engine 5-6',
      'gate 6-60',
      'engine 60-61',
      'turn 61-70',
      'retry 70-90',
      'engine 90-92',
      'turn 92-100',
      'engine 100-101',
      'pause 101-111',
      'engine 111-113',
      'check 113-120',
      'engine 120-121',
      'usage_limit 121-130',
      'engine 130-132',
    ]);
    expect(timeline).toMatchObject({
      isOpen: false,
      totals: { agent: 17_000, checks: 7_000, people: 64_000, limit: 29_000, engine: 15_000 },
      gates: [{ gate: 'gate-1', before: 'executing', decided: { decision: 'approved', by: 'kim@host' } }],
      turns: [
        { outcome: 'rate_limited', costMicroUsd: null, durationMs: 9_000 },
        { outcome: 'done', costMicroUsd: 300_000, tokensIn: 10 },
      ],
    });
  });

  it.each([
    ['a gate', [line(1, 'approval.requested', gate())], 'gate 1-9 open'],
    ['a pause', [line(1, 'run.paused')], 'pause 1-9 open'],
    ['a usage limit', [line(1, 'usage_limit.waiting', { agent: 'robot' })], 'usage_limit 1-9 open'],
    ['another try', [line(1, 'turn.retried', { waitMs: 60_000 })], 'retry 1-9 open'],
    ['an agent', [line(1, 'turn.started', { stage: 'executing' })], 'turn 1-9 open'],
    ['checks', [line(1, 'validation.started', { commands: 2 })], 'check 1-9 open'],
  ])('leaves open what is not over until now: %s', (_what, lines, open) => {
    const { spans, timeline } = told([line(0, 'run.created'), ...lines], 9);

    expect([spans, timeline?.isOpen]).toEqual([['engine 0-1', open], true]);
  });

  it('counts a wait of a run that ended in it until then, and nothing of it as open', () => {
    const { spans, timeline } = told([line(0, 'approval.requested', gate()), line(8, 'run.aborted')], 60);

    expect([spans, timeline?.gates]).toEqual([['gate 0-8'], [expect.objectContaining({ decided: null })]]);
  });

  it('ends a wait whose end is not told with whatever came after it', () => {
    const lines = [line(0, 'approval.requested', gate()), line(5, 'turn.started'), line(9, 'run.completed')];

    expect(told(lines).spans).toEqual(['gate 0-5', 'turn 5-9']);
  });

  it('counts no attempt whose agent was not started', () => {
    const spared = turn(0, { started: false });
    const { timeline, spans } = told([line(0, 'turn.started'), line(3, 'turn.failed', spared), line(4, 'run.failed')]);

    expect([spans, timeline?.turns]).toEqual([['engine 0-4'], []]);
  });

  it('is none where no line tells a time', () => {
    expect([tellTimeline([], 0), tellTimeline([{ timestamp: 'never', type: 'run.created' }], 0)]).toEqual([null, null]);
  });
});

const TYPES = [
  'run.created',
  'turn.started',
  'turn.completed',
  'turn.failed',
  'turn.retried',
  'usage_limit.waiting',
  'usage_limit.cleared',
  'validation.started',
  'validation.command.completed',
  'worktree.setup.completed',
  'approval.requested',
  'approval.approved',
  'approval.expired',
  'run.paused',
  'run.resumed',
  'run.completed',
  'run.failed',
  'state.changed',
  'of.a.later.version',
  '__proto__',
];

const anyValue = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
const anyFacts = fc.dictionary(
  fc.constantFrom('stage', 'gate', 'durationMs', 'waitMs', 'started', 'commands', 'by', 'costMicroUsd'),
  anyValue,
);
const anyTime = fc.oneof(
  { weight: 9, arbitrary: fc.nat(100_000).map((ms) => new Date(BEGIN + ms).toISOString()) },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.constant('-271821-04-20T00:00:00.000Z')) },
);
const anyLine: fc.Arbitrary<TimelineLine> = fc.record(
  { timestamp: anyTime, type: fc.constantFrom(...TYPES), facts: anyFacts },
  { requiredKeys: ['timestamp', 'type'] },
);

describe('any journal, also one that was cut, torn or reset', () => {
  it('has spans that follow each other without a gap from its begin to its end, and totals that are all of it', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 60 }), fc.nat(200_000), (lines, ms) => {
        const timeline = tellTimeline(lines, BEGIN + ms);
        if (timeline === null) return;
        const { from, to, spans, totals, turns } = timeline;
        let at = from;
        for (const span of spans) {
          expect(span.from).toBe(at);
          expect(span.to).toBeGreaterThan(span.from);
          at = span.to;
        }
        expect(at).toBe(to);
        expect(LANES.reduce((sum, lane) => sum + totals[lane], 0)).toBe(to - from);
        expect(turns.every((one) => one.from >= from && one.from <= one.to && one.to <= to)).toBe(true);
        expect(spans.slice(0, -1).some(({ isOpen }) => isOpen)).toBe(false);
        expect(spans.some(({ isOpen }) => isOpen) && !timeline.isOpen).toBe(false);
      }),
    );
  });
});

/** What a run did, one thing after the other, with the time of the engine between; and the lines that it leaves of it. */
const DOES: Readonly<
  Record<Exclude<SpanKind, 'engine' | 'setup'>, (at: number, ms: number) => readonly TimelineLine[]>
> = {
  turn: (at, ms) => [line(at, 'turn.started'), line(at + ms, 'turn.completed', turn(ms * 1_000))],
  check: (at, ms) => [
    line(at, 'validation.started', { commands: 1 }),
    line(at + ms, 'validation.command.completed', { durationMs: ms * 1_000 }),
  ],
  gate: (at, ms) => [line(at, 'approval.requested', gate()), line(at + ms, 'approval.rejected', gate('kim'))],
  pause: (at, ms) => [line(at, 'run.paused'), line(at + ms, 'run.resumed')],
  usage_limit: (at, ms) => [line(at, 'usage_limit.waiting'), line(at + ms, 'usage_limit.cleared')],
  retry: (at, ms) => [line(at, 'turn.retried', { waitMs: ms * 1_000 })],
};
const KINDS = Object.keys(DOES) as (keyof typeof DOES)[];

describe('a whole journal', () => {
  it('is covered by exactly what its run did', () => {
    const step = fc.record({ kind: fc.constantFrom(...KINDS), lasts: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let at = 1;
        const expected = ['engine 0-1'];
        const lines = [line(0, 'run.created')];
        for (const { kind, lasts } of steps) {
          lines.push(...DOES[kind](at, lasts));
          expected.push(`${kind} ${at}-${at + lasts}`, `engine ${at + lasts}-${at + lasts + 1}`);
          at += lasts + 1;
        }
        lines.push(line(at, 'run.completed'));

        expect(told(lines).spans).toEqual(expected);
      }),
    );
  });
});

describe('a long journal', () => {
  const linesOf = (count: number) =>
    Array.from({ length: count / 2 }, (_, n) => [
      line(2 * n, 'turn.started', { stage: 'executing', agent: 'robot' }),
      line(2 * n + 1, 'turn.completed', turn(900)),
    ]).flat();

  it('of 2 000 events, the longest that a run has, is told and drawn within 200 ms of a processor', async () => {
    const lines = linesOf(2_000);

    expect(tellTimeline(lines, BEGIN)?.turns).toHaveLength(1_000);
    expect(await leastCpuMs(() => drawn(lines))).toBeLessThan(200);
  });

  it('costs in proportion to its length, for somebody else may have written it', () => {
    const gates = (count: number) =>
      Array.from({ length: count }, (_, n) =>
        line(n, n % 2 === 0 ? 'approval.requested' : 'approval.approved', gate()),
      );

    expectLinearCost(40_000, (length) => void [drawn(linesOf(length)), drawn(gates(length))]);
  });
});

function drawn(lines: readonly TimelineLine[]): unknown {
  const timeline = tellTimeline(lines, BEGIN);
  return timeline === null ? null : drawTimeline(timeline);
}

describe('the facts of a line', () => {
  it('are plain values that a timeline reads, and no others', () => {
    const data = { gate: 'gate-1', stage: { odd: true }, by: null, note: 'long', commit: 'c' };

    expect(pickFacts({ type: 'approval.requested', data })).toEqual({ gate: 'gate-1', by: null });
    expect([pickFacts({ type: 'state.changed', data }), pickFacts({ type: 'toString' as never, data })]).toEqual([
      null,
      null,
    ]);
  });
});
