import { describe, expect, it } from '@jest/globals';
import { createLifecycle, statusBetween } from '../../../protocol/run/lifecycle.js';
import { changesGoTo, firstEvidence, stageAfter } from '../../../protocol/run/next-stage.js';
import { STAGE_LISTS, STAGES, type Stage } from '../../../protocol/run/stages.js';

/** Every stage list that a config may name: a non-empty part of the stages, in order. */
const LISTS: readonly (readonly Stage[])[] = Array.from({ length: 127 }, (_, n) =>
  STAGES.filter((_stage, bit) => ((n + 1) >> bit) & 1),
).filter((list) => list.at(-1) !== 'fixing' && (!list.includes('fixing') || list.includes('reviewing')));

describe('the walk over a stage list', () => {
  it.each(LISTS.map((list) => [list.join(' '), list] as const))(
    'makes only legal moves to merge_ready over %s',
    (_name, list) => {
      const lifecycle = createLifecycle(list);
      let stage: Stage | null = null;
      for (let next = stageAfter(list, stage); next !== 'completion'; next = stageAfter(list, stage)) {
        const between = statusBetween(stage, next);
        if (between !== null) lifecycle.move(between);
        lifecycle.move(next);
        stage = next;
      }
      lifecycle.move('merge_ready');

      expect(lifecycle.status).toBe('merge_ready');
    },
  );

  it('holds planned and architected between their stages and never passes through fixing', () => {
    const walked: string[] = [];
    for (
      let stage = stageAfter(STAGE_LISTS.full, null);
      stage !== 'completion';
      stage = stageAfter(STAGE_LISTS.full, stage)
    )
      walked.push(stage);

    expect(walked).toEqual(['planning', 'architecting', 'executing', 'validating', 'reviewing', 'verifying']);
    expect(statusBetween('planning', 'architecting')).toBe('planned');
    expect(statusBetween('architecting', 'executing')).toBe('architected');
    expect(statusBetween('executing', 'validating')).toBeNull();
  });

  it.each(LISTS.map((list) => [list.join(' '), list] as const))(
    'comes from fixing back to evidence by a legal move over %s',
    (_name, list) => {
      const to = stageAfter(list, 'fixing');

      expect(to).toBe(firstEvidence(list));
      if (list.includes('fixing') && to !== 'completion') {
        const lifecycle = createLifecycle(list);
        for (const status of ['executing', 'validating', 'reviewing', 'fixing', to] as const) lifecycle.move(status);
        expect(lifecycle.status).toBe(to);
      }
    },
  );

  it.each([
    ['planning', null],
    ['architecting', 'planning'],
    ['executing', 'architecting'],
    ['validating', 'fixing'],
    ['reviewing', 'fixing'],
    ['fixing', 'fixing'],
    ['verifying', 'fixing'],
    ['completion', 'fixing'],
  ] as const)('sends changes requested before %s to %s', (gate, stage) => {
    expect(changesGoTo(gate, STAGE_LISTS.full)).toBe(stage);
  });

  it('offers no changes where the list has nobody who would make them', () => {
    expect(changesGoTo('executing', STAGE_LISTS.express)).toBeNull();
    expect(changesGoTo('verifying', STAGE_LISTS.express)).toBeNull();
    expect(changesGoTo('executing', ['planning', 'executing'])).toBe('planning');
  });
});
