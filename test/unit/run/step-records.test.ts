/** How far the steps of a plan are, read from what turns and checks left. Source: docs/requirements/skep.md. */
import { describe, expect, it } from '@jest/globals';
import type { GivenPlan } from '../../../activities/steps/given-steps.js';
import { findFailed, openSteps, recordSteps } from '../../../activities/steps/step-records.js';
import type { StageEntry, StepTry } from '../../../activities/unit/stage-progress.js';
import type { StepVerb } from '../../../protocol/admission/plan-steps.js';

const PLAN = 'p'.repeat(64);

const planOf = (...verbs: StepVerb[]): GivenPlan => ({
  hash: PLAN,
  stepCheck: 'none',
  steps: verbs.map((verb, at) => ({
    seq: at + 1,
    verb,
    targetFile: null,
    symbols: [],
    dependsOn: [],
    acceptance: 'it holds',
    description: `part ${at + 1}`,
  })),
});

const DID: StepTry = {
  model: null,
  conversationId: null,
  commits: [],
  printed: null,
  outputTail: '',
  durationMs: 5,
  tokens: null,
  startedAt: '2026-11-27T10:00:00.000Z',
  endedAt: '2026-11-27T10:00:01.000Z',
  error: null,
  diff: null,
};

type Outcome = NonNullable<StageEntry['end']>['outcome'];

interface Given {
  readonly seq: number;
  readonly attempt?: number;
  readonly kind?: 'turn' | 'check';
  readonly plan?: string;
  readonly runId?: string;
  readonly did?: Partial<StepTry>;
  readonly why?: string;
}

let places = 0;

/** `outcome`: null where it was begun and never ended. */
function entry(outcome: Outcome | null, { seq, attempt = 1, kind = 'turn', ...given }: Given): StageEntry {
  places += 1;
  const { plan = PLAN, runId = 'task-1', did = {}, why } = given;
  const left = { output: null, findings: null, commandOutput: null, review: null, stopsHere: false };
  const own = kind === 'turn' ? { did: { ...DID, ...did } } : why === undefined ? {} : { why };
  return {
    seq: places,
    token: `token-${places}`,
    stage: 'executing',
    round: 0,
    headBefore: `before-${places}`,
    step: { kind, runId, plan, seq, attempt },
    end: outcome === null ? null : { ...left, headAfter: `after-${places}`, outcome, ...own },
  };
}

const statusesOf = (plan: GivenPlan, entries: readonly StageEntry[]) =>
  recordSteps(plan, entries).map(({ status }) => status);

describe('the steps of a plan', () => {
  it.each<[string, readonly StageEntry[], readonly string[]]>([
    ['nothing was begun', [], ['pending', 'pending']],
    ['a turn is at work', [entry(null, { seq: 1 })], ['executing', 'pending']],
    ['a turn ended well', [entry('done', { seq: 1 })], ['done', 'pending']],
    ['a turn had nothing to change', [entry('no_change', { seq: 1 })], ['done', 'pending']],
    ['a turn failed', [entry('hard', { seq: 1 })], ['failed', 'pending']],
    [
      'a failed turn is tried again',
      [entry('hard', { seq: 1 }), entry(null, { seq: 1, attempt: 2 })],
      ['executing', 'pending'],
    ],
    [
      'a later one was begun, whatever the last turn came to',
      [entry('hard', { seq: 1 }), entry(null, { seq: 2 })],
      ['done', 'executing'],
    ],
    ['all was of another plan', [entry('done', { seq: 1, plan: 'q'.repeat(64) })], ['pending', 'pending']],
  ])('are known where %s', (_where, entries, statuses) => {
    expect(statusesOf(planOf('add', 'modify'), entries)).toEqual(statuses);
  });

  it.each<Outcome>(['usage_limit', 'rate_limited', 'transient', 'crash_loop', 'needs_input'])(
    'have not failed where a turn is taken again or a person is asked: %s',
    (outcome) => {
      expect(statusesOf(planOf('add'), [entry(outcome, { seq: 1 })])).toEqual(['executing']);
    },
  );

  it.each<[Outcome, string]>([
    ['passed', 'done'],
    ['partial', 'done'],
    ['base_failures_ignored', 'done'],
    ['failed', 'failed'],
    ['no_commands', 'failed'],
  ])('that test are done by what the engine ran itself: %s', (outcome, status) => {
    const turn = entry('done', { seq: 1 });

    expect(statusesOf(planOf('test'), [turn])).toEqual(['executing']);
    expect(statusesOf(planOf('test'), [turn, entry(outcome, { seq: 1, kind: 'check' })])).toEqual([status]);
  });

  it('keep each try, count the retries and not what the engine took again by itself', () => {
    const entries = [
      entry('transient', { seq: 1, did: { error: 'the line broke' } }),
      entry('hard', { seq: 1, did: { error: 'it fell', outputTail: 'first' } }),
      entry('done', { seq: 1, attempt: 2, did: { commits: ['c'.repeat(40)], outputTail: 'second' } }),
    ];

    const [record] = recordSteps(planOf('add'), entries);

    expect(record).toMatchObject({ status: 'done', retryCount: 1, durationMs: 15, outputTail: 'second', error: null });
    expect(record?.commits).toEqual(['c'.repeat(40)]);
    expect(record?.attempts.map(({ attempt, error }) => [attempt, error])).toEqual([
      [1, 'the line broke'],
      [1, 'it fell'],
      [2, null],
    ]);
  });

  it('tell why the tests refused a try', () => {
    const entries = [entry('done', { seq: 1 }), entry('failed', { seq: 1, kind: 'check', why: '`npm test` is red' })];

    const [record] = recordSteps(planOf('test'), entries);

    expect(record).toMatchObject({
      status: 'failed',
      error: '`npm test` is red',
      attempts: [{ error: '`npm test` is red' }],
    });
  });
});

describe('a later run of a task', () => {
  it('begins at the first step that is not done, with tries of its own and the conversation of that step', () => {
    const entries = [
      entry('done', { seq: 1, did: { conversationId: 'one' } }),
      entry('hard', { seq: 2, did: { conversationId: 'two' } }),
      entry('hard', { seq: 2, attempt: 2 }),
    ];

    const opened = openSteps(planOf('add', 'modify', 'delete'), entries);

    expect(opened).toMatchObject([
      { seq: 1, status: 'done', attempts: 1, continues: null },
      { seq: 2, status: 'pending', awaits: 'turn', failures: 0, attempts: 2 },
      { seq: 3, status: 'pending', awaits: 'turn', failures: 0, attempts: 0, continues: null },
    ]);
    expect(opened[1]?.continues).toEqual({ runId: 'task-1', seq: entries[1]?.seq, token: entries[1]?.token });
  });

  it('runs the checks alone of a step whose turn ended well', () => {
    const opened = openSteps(planOf('test'), [entry('done', { seq: 1 })]);

    expect(opened).toMatchObject([{ status: 'executing', awaits: 'check' }]);
  });

  it('has a step judged again whose judgement was cut short or could not be made, and takes no turn again for that', () => {
    const plan: GivenPlan = { ...planOf('add', 'modify'), stepCheck: 'acceptance' };
    const judged = (outcome: Outcome | null) => [entry('done', { seq: 1 }), entry(outcome, { seq: 1, kind: 'check' })];

    for (const outcome of [null, 'unavailable'] as const)
      expect(openSteps(plan, judged(outcome))).toMatchObject([{ status: 'executing', awaits: 'check' }, {}]);
    expect(openSteps(plan, judged('failed'))).toMatchObject([{ status: 'pending', awaits: 'turn' }, {}]);
    expect(openSteps(plan, judged('passed'))).toMatchObject([{ status: 'done' }, { status: 'pending' }]);
    expect(statusesOf(plan, [entry('done', { seq: 1 })])).toEqual(['executing', 'pending']);
  });

  it('takes the turn again of a step that the checks refused', () => {
    const opened = openSteps(planOf('test'), [entry('done', { seq: 1 }), entry('failed', { seq: 1, kind: 'check' })]);

    expect(opened).toMatchObject([{ status: 'pending', awaits: 'turn', failures: 0 }]);
  });
});

describe('a retry', () => {
  it('is told of the last try of its own step before it, or of the check of that', () => {
    const turn = entry('done', { seq: 2 });
    const check = entry('failed', { seq: 2, kind: 'check' });
    const entries = [entry('hard', { seq: 1 }), turn, check, entry(null, { seq: 2, attempt: 2 })];

    expect(findFailed(planOf('add', 'test'), entries, { seq: 2, attempt: 2 })).toBe(check);
    expect(findFailed(planOf('add', 'test'), entries, { seq: 2, attempt: 1 })).toBeNull();
  });
});
