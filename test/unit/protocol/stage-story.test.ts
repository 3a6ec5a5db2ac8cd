/** What becomes of stages, by events that no kept history has in this order; those are in test/replay/stage-marks.golden.txt. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { RUN_STATUSES } from '../../../protocol/run/lifecycle.js';
import { STAGE_LISTS, STAGES, type Stage } from '../../../protocol/run/stages.js';
import { stagesOf, storyOf, storyOfView, tellStory } from '../../../protocol/views/stage-story.js';
import { began, moved, START, told } from '../../support/told-stages.js';

const markOf = (events: readonly JournalEvent[], stage: Stage) => storyOf(tellStory(events), stage).mark;
const toChecks = [
  moved('created', 'executing'),
  began('executing'),
  moved('executing', 'validating'),
  began('validating'),
];
const checked = (status: string, failedOnBase = false) =>
  told('validation.command.completed', { status, failedOnBase, round: 0 });

describe('a stage', () => {
  it.each([
    ['red', [checked('failed')], 'failed'],
    ['red, with one that is green behind it', [checked('failed'), checked('passed')], 'failed'],
    ['red on the base too, which the policy lets be', [checked('failed', true)], 'passed'],
    ['green', [checked('passed')], 'passed'],
  ] as const)('whose checks are %s', (_what, checks, mark) => {
    expect(markOf([...toChecks, ...checks, moved('validating', 'reviewing')], 'validating')).toBe(mark);
  });

  it('that failed passes once it was done again', () => {
    const red = [...toChecks, checked('failed'), moved('validating', 'reviewing'), moved('reviewing', 'fixing')];
    expect(markOf(red, 'validating')).toBe('again');
    const again = [...red, began('fixing'), moved('fixing', 'validating'), began('validating'), checked('passed')];

    expect(markOf(again, 'validating')).toBe('at_work');
    expect(markOf([...again, moved('validating', 'reviewing')], 'validating')).toBe('passed');
  });

  it('that was ended in the midst failed, one at whose gate the run ended was not begun', () => {
    const entered = [moved('created', 'executing'), moved('executing', 'waiting_for_approval')];
    const begun = [moved('created', 'executing'), began('executing')];

    expect(markOf([...entered, moved('waiting_for_approval', 'aborted')], 'executing')).toBe('not_yet');
    expect(markOf([...begun, moved('executing', 'aborted')], 'executing')).toBe('failed');
  });

  it('works, and waits at gates, limits, pauses and before another try', () => {
    const events = [
      moved('created', 'planning'),
      began('planning', 1),
      told('usage_limit.waiting', {}, 3),
      told('usage_limit.cleared', {}, 13),
      told('turn.retried', { waitMs: 5_000 }, 14),
      began('planning', 19),
      moved('planning', 'paused', 20),
      moved('paused', 'planning', 50),
      moved('planning', 'planned', 51),
    ];

    expect(storyOf(tellStory(events), 'planning')).toMatchObject({ mark: 'passed', workMs: 6_000, waitMs: 45_000 });
  });

  it('is told by a view alone where the journal is elsewhere', () => {
    const story = storyOfView({ stage: 'reviewing', status: 'waiting_for_approval', updatedAt: START });

    expect([story.since, storyOf(story, 'reviewing').mark]).toEqual([START, 'waits']);
    expect(stagesOf(story, STAGE_LISTS.full)).toEqual(['reviewing', 'verifying']);
  });
});

describe('any order of events', () => {
  const event = fc.oneof(
    fc.constantFrom(...RUN_STATUSES).map((to) => moved('x', to)),
    fc.constantFrom(...STAGES).map((stage) => began(stage)),
    fc.constantFrom(...STAGES, 'completion').map((stage) => told('approval.requested', { stage })),
    fc.constantFrom('usage_limit.waiting', 'usage_limit.cleared').map((type) => told(type, {})),
    fc.constantFrom('agent', 'validation').map((source) => told('review.decision', { value: 'BLOCKED', source })),
  );

  it('leaves one stage at most at work or waiting, the current one', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { stages, current } = tellStory(events);
        const busy = [...stages].flatMap(([stage, { mark }]) =>
          mark === 'at_work' || mark === 'waits' ? [stage] : [],
        );
        expect(busy.filter((stage) => stage !== current)).toEqual([]);
      }),
    );
  });
});
