import { describe, expect, it } from '@jest/globals';
import {
  planGoingOn,
  planRewind,
  type RewindSource,
  type WantedRewind,
} from '../../../activities/opening/rewind-point.js';
import type { StageEnd, StageEntry } from '../../../activities/unit/stage-progress.js';
import type { ArtifactRef } from '../../../protocol/run/artifact.js';
import { STAGE_LISTS, type Stage } from '../../../protocol/run/stages.js';

const ref = (sha256: string): ArtifactRef => ({ sha256, bytes: 1, mediaType: 'text/markdown' });

type Step = readonly [stage: Stage, headBefore: string, end: Partial<StageEnd> | null];

function entriesOf(steps: readonly Step[]): readonly StageEntry[] {
  const nothing = { output: null, findings: null, commandOutput: null, review: null, stopsHere: false };
  return steps.map(([stage, headBefore, end], index) => ({
    seq: index + 2,
    token: `token ${index}`,
    stage,
    round: 0,
    headBefore,
    end:
      end === null
        ? null
        : { headAfter: headBefore, outcome: stage === 'validating' ? 'passed' : 'done', ...nothing, ...end },
  }));
}

function sourceOf(steps: readonly Step[], more: Partial<RewindSource> = {}): RewindSource {
  const progress = { version: 1, inherited: [], entries: entriesOf(steps) } as const;
  return { stages: STAGE_LISTS.full, baseSha: 'base', progress, beganAt: null, ...more };
}

const PLANNED: readonly Step[] = [
  ['planning', 'base', { output: ref('plan') }],
  ['architecting', 'base', { output: ref('architecture') }],
];
const EXECUTED: readonly Step[] = [...PLANNED, ['executing', 'base', { headAfter: 'one', output: ref('said') }]];
const RED: Step = [
  'validating',
  'one',
  { outcome: 'failed', output: ref('red'), findings: ref('red findings'), commandOutput: ref('printed') },
];
const GREEN: Step = ['validating', 'one', { output: ref('green') }];
const CHANGES: Step = [
  'reviewing',
  'one',
  { review: 'CHANGES_REQUESTED', output: ref('review'), findings: ref('findings') },
];

function pointOf(steps: readonly Step[], wanted?: Stage | WantedRewind, more: Partial<RewindSource> = {}) {
  const planned = planRewind(sourceOf(steps, more), typeof wanted === 'object' ? wanted : { stage: wanted });
  if (planned.kind !== 'planned') throw new Error(planned.kind);
  return planned.point;
}

const NOTHING = {
  plan: null,
  architecture: null,
  validation: null,
  review: null,
  findings: null,
  validationOutput: null,
} as const;

describe('a rewind without a stage', () => {
  it.each<readonly [string, readonly Step[], Stage]>([
    ['before its first turn', [], 'planning'],
    ['in the middle of a turn', [...PLANNED, ['executing', 'base', null]], 'executing'],
    ['in a turn that failed', [...PLANNED, ['executing', 'base', { outcome: 'hard' }]], 'executing'],
    ['without a change', [...PLANNED, ['executing', 'base', { outcome: 'no_change' }]], 'executing'],
    ['at a gate that it never passed', PLANNED, 'executing'],
    ['in a turn that asked for a person', [['planning', 'base', { stopsHere: true }]], 'planning'],
    ['with red checks', [...EXECUTED, RED], 'reviewing'],
    ['with checks that could not run', [...EXECUTED, ['validating', 'one', { outcome: 'unavailable' }]], 'validating'],
    ['in a review that asked for changes', [...EXECUTED, GREEN, CHANGES], 'reviewing'],
    [
      'in a review that could not be read',
      [...EXECUTED, GREEN, ['reviewing', 'one', { review: 'BLOCKED' }]],
      'reviewing',
    ],
    ['before the verification', [...EXECUTED, GREEN, ['reviewing', 'one', { review: 'APPROVED' }]], 'verifying'],
    ['after a fix', [...EXECUTED, GREEN, CHANGES, ['fixing', 'one', { headAfter: 'two' }]], 'validating'],
    ['after its last stage', [...EXECUTED, GREEN, ['verifying', 'one', {}]], 'verifying'],
  ])('begins where its source ended: %s', (_where, steps, expected) => {
    expect(pointOf(steps).fromStage).toBe(expected);
  });

  it('begins with the checks where its source ended with red ones and has no review', () => {
    expect(
      pointOf([EXECUTED[2] ?? CHANGES, RED], undefined, { stages: ['executing', 'validating', 'verifying'] }).fromStage,
    ).toBe('validating');
  });

  it('begins where a rewound source began, if that did nothing', () => {
    const progress = {
      version: 1,
      inherited: entriesOf([...EXECUTED, GREEN, CHANGES, ['fixing', 'one', { headAfter: 'two' }]]),
      entries: [],
    } as const;

    const began = { fromStage: 'validating', commit: 'two', context: NOTHING, approved: false } as const;

    expect(pointOf([], undefined, { progress, beganAt: began })).toEqual({ ...began, before: progress.inherited });
  });
});

describe('a rewind to a stage', () => {
  const fixed: readonly Step[] = [
    ...EXECUTED,
    GREEN,
    CHANGES,
    ['fixing', 'one', { headAfter: 'two' }],
    ['validating', 'two', { output: ref('green again') }],
    ['reviewing', 'two', { review: 'APPROVED', output: ref('approved') }],
    ['verifying', 'two', {}],
  ];

  it.each<readonly [Stage, string]>([
    ['planning', 'base'],
    ['architecting', 'base'],
    ['executing', 'base'],
    ['validating', 'two'],
    ['fixing', 'one'],
    ['reviewing', 'two'],
    ['verifying', 'two'],
  ])('%s begins at %s: what the branch held when it was last entered', (stage, commit) => {
    expect(pointOf(fixed, stage).commit).toBe(commit);
  });

  it('gives fixing the findings of the review before it, and verifying the review that approved', () => {
    expect(pointOf(fixed, 'fixing').context).toMatchObject({
      review: ref('review'),
      findings: ref('findings'),
      validation: ref('green'),
    });
    expect(pointOf(fixed, 'verifying').context).toMatchObject({
      review: ref('approved'),
      findings: null,
      validation: ref('green again'),
    });
  });

  it('gives fixing the findings and output of red checks, and no review of another commit', () => {
    const { context } = pointOf(
      [...fixed.slice(0, 6), ['validating', 'two', RED[2]], ['fixing', 'two', null]],
      'fixing',
    );

    expect(context).toMatchObject({
      review: null,
      findings: ref('red findings'),
      validation: ref('red'),
      validationOutput: ref('printed'),
    });
  });

  it('keeps the findings of a review whose decision was asked for again', () => {
    const again: readonly Step[] = [
      ['reviewing', 'one', { review: 'BLOCKED', output: ref('long'), findings: ref('findings') }],
      ['reviewing', 'one', { review: 'CHANGES_REQUESTED', output: ref('short') }],
    ];

    expect(pointOf([...EXECUTED, GREEN, ...again, ['fixing', 'one', null]], 'fixing').context).toMatchObject({
      review: ref('short'),
      findings: ref('findings'),
    });
  });

  it('takes no checks of another commit', () => {
    const steps: readonly Step[] = [
      ...EXECUTED,
      GREEN,
      CHANGES,
      ['fixing', 'one', { headAfter: 'two' }],
      ['reviewing', 'two', null],
    ];

    expect(pointOf(steps, 'reviewing').context).toMatchObject({ validation: null, validationOutput: null });
  });

  it('leaves out all attempts of the stage itself', () => {
    const retried: readonly Step[] = [
      ...PLANNED,
      ['executing', 'base', { outcome: 'transient' }],
      ['executing', 'base', { headAfter: 'one' }],
    ];

    expect(pointOf(retried, 'executing').before.map(({ stage }) => stage)).toEqual(['planning', 'architecting']);
  });

  it.each<readonly [string, readonly Step[], boolean]>([
    ['approved', fixed, true],
    [
      'approved another commit',
      [...EXECUTED, GREEN, ['reviewing', 'one', { review: 'APPROVED' }], ['verifying', 'two', {}]],
      false,
    ],
    ['asked for changes', [...EXECUTED, GREEN, CHANGES, ['verifying', 'one', {}]], false],
    [
      'was followed by red checks',
      [...EXECUTED, ['reviewing', 'one', { review: 'APPROVED' }], RED, ['verifying', 'one', {}]],
      false,
    ],
  ])('counts as approved only if the last review did that on its commit: it %s', (_what, steps, approved) => {
    expect(pointOf(steps, 'verifying').approved).toBe(approved);
  });

  it('is not possible where the source did not reach it or does not have it', () => {
    expect(planRewind(sourceOf([...EXECUTED, RED]), { stage: 'verifying' })).toEqual({
      kind: 'not_reached',
      choices: ['planning', 'architecting', 'executing', 'validating', 'reviewing'],
    });
    expect(planRewind(sourceOf([], { stages: STAGE_LISTS['plan-only'] }), { stage: 'executing' })).toEqual({
      kind: 'not_in_list',
      choices: ['planning'],
    });
  });
});

describe('a rewind with what is to be mended', () => {
  const APPROVED: Step = ['reviewing', 'one', { review: 'APPROVED', output: ref('praise'), findings: ref('nits') }];
  const DONE: readonly Step[] = [...EXECUTED, GREEN, APPROVED, ['verifying', 'one', {}]];
  const given = { stage: 'fixing', findings: ref('given') } as const;
  const onto = { base: 'new base', start: 'joined' };

  it('enters fixing where its source ended, though that never did, with these findings and no review', () => {
    const point = pointOf(DONE, given);

    expect(point).toMatchObject({ fromStage: 'fixing', commit: 'one', approved: false, before: { length: 6 } });
    expect(point.context).toEqual({
      plan: ref('plan'),
      architecture: ref('architecture'),
      validation: ref('green'),
      validationOutput: null,
      review: null,
      findings: ref('given'),
    });
  });

  it('enters it behind all rounds of its source', () => {
    const rounds: readonly Step[] = [...EXECUTED, GREEN, CHANGES, ['fixing', 'one', { headAfter: 'two' }]];

    expect(pointOf(rounds, given)).toMatchObject({ commit: 'two', context: { findings: ref('given') } });
    expect(pointOf(rounds, 'fixing')).toMatchObject({ commit: 'one', context: { findings: ref('findings') } });
  });

  it('is not possible where the list has no such stage, or nothing is known of its source', () => {
    const express = STAGE_LISTS.express;

    expect(planRewind(sourceOf(EXECUTED, { stages: express }), given)).toMatchObject({ kind: 'not_in_list' });
    expect(planRewind(sourceOf([], { progress: null }), given)).toMatchObject({ kind: 'unknown' });
  });

  it('begins at the commit that it is given, of which no checks and no decision are known', () => {
    const context = { plan: ref('plan'), architecture: ref('architecture'), validation: null, validationOutput: null };

    expect(pointOf(DONE, { ...given, onto })).toMatchObject({
      commit: 'joined',
      context: { ...context, review: null },
    });
    expect(pointOf(DONE, { stage: 'executing', onto })).toMatchObject({ commit: 'joined', context });
    expect(pointOf(DONE, { stage: 'verifying', onto })).toMatchObject({ commit: 'joined', approved: false });
  });

  it('inherits no code of its source where it begins at another commit', () => {
    expect(pointOf(DONE, { ...given, onto }).before.map(({ stage }) => stage)).toEqual(PLANNED_AND_EXECUTED);
    expect(pointOf(DONE, given).before.map(({ stage }) => stage)).toEqual([
      ...PLANNED_AND_EXECUTED,
      'validating',
      'reviewing',
      'verifying',
    ]);
  });

  it('is itself gone back to with what it was given', () => {
    const { before, ...beganAt } = pointOf(DONE, { ...given, onto });
    const own = entriesOf([['fixing', 'joined', { outcome: 'hard' }]]);
    const child = (entries: readonly StageEntry[], wanted?: Stage) =>
      pointOf([], wanted, { baseSha: onto.base, beganAt, progress: { inherited: before, entries } });

    expect(child([])).toEqual({ ...beganAt, before });
    expect(child(own)).toEqual({ ...beganAt, before });
    expect(child(own, 'executing')).toMatchObject({ commit: 'new base', context: { plan: ref('plan') } });
  });

  it('is gone back to at its own begin where its source had ended in a fix of the same commit', () => {
    const { before, ...beganAt } = pointOf([...EXECUTED, RED, ['fixing', 'one', { outcome: 'hard' }]], given);
    const entries = entriesOf([['fixing', 'one', null]]);

    expect(pointOf([], undefined, { beganAt, progress: { inherited: before, entries } })).toEqual({
      ...beganAt,
      before,
    });
  });
});

const PLANNED_AND_EXECUTED = ['planning', 'architecting', 'executing'];

describe('a rewind from a run of which nothing is known', () => {
  it.each<readonly [string, readonly Stage[], readonly Stage[]]>([
    ['planning, of a full list', STAGE_LISTS.full, ['planning']],
    ['the first stage of another list', ['executing', 'validating'], ['executing']],
    ['no stage, where the first one judges code', ['reviewing'], []],
  ])('can go to %s', (_name, stages, choices) => {
    const source = sourceOf([], { stages, progress: null });

    expect(planRewind(source, {})).toEqual({ kind: 'unknown', choices });
    expect(planRewind(source, { stage: 'verifying' })).toEqual({ kind: 'unknown', choices });
    for (const fromStage of choices) {
      expect(planRewind(source, { stage: fromStage })).toMatchObject({
        kind: 'planned',
        point: { fromStage, commit: 'base', approved: false, before: [] },
      });
    }
  });
});

describe('a later run of a task that is made by its steps', () => {
  const bySteps = (steps: readonly Step[]): readonly StageEntry[] =>
    entriesOf(steps).map((entry, at) => {
      const step = { kind: 'turn', runId: 'task-1', plan: 'plan', seq: at + 1, attempt: 1 } as const;
      return { ...entry, step };
    });
  const stages: readonly Stage[] = ['executing', 'validating'];
  const goOn = (entries: readonly StageEntry[]) =>
    planGoingOn(sourceOf([], { stages, progress: { inherited: [], entries } }), { tip: 'tip', stages });

  it.each<[string, Partial<StageEnd> | null]>([
    ['between two of them', { headAfter: 'two' }],
    ['in one that failed', { outcome: 'hard' }],
    ['in one that nobody saw the end of', null],
  ])('begins at the steps and knows all that was done, where the former ended %s', (_where, end) => {
    const entries = bySteps([
      ['executing', 'base', { headAfter: 'one' }],
      ['executing', 'one', end],
    ]);

    expect(goOn(entries)).toMatchObject({ fromStage: 'executing', commit: 'tip', before: entries });
  });

  it('begins where the former ended, once its steps are done and a stage behind them was entered', () => {
    const entries = [...bySteps([['executing', 'base', { headAfter: 'one' }]]), ...entriesOf([RED])];

    expect(goOn(entries).fromStage).toBe('validating');
  });
});
