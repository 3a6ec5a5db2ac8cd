import { describe, expect, it } from '@jest/globals';
import { LastViews } from '../../../activities/journal/last-views.js';

const view = (seq: number, end: 'open' | 'closed') => ({
  seq,
  isClosed: end === 'closed',
  updatedAt: '2026-11-21T10:00:00.000Z',
});

describe('the views that were written last', () => {
  it('are forgotten of runs that closed long ago, never of open ones', () => {
    const views = new LastViews(2);
    views.set('open', view(1, 'open'));

    for (const run of ['a', 'b', 'c']) views.set(run, view(2, 'closed'));

    expect(['open', 'a', 'b', 'c'].map((run) => views.of(run)?.seq)).toEqual([1, undefined, 2, 2]);
  });

  it('are those of the last write, and a run that a reset opens again is open', () => {
    const views = new LastViews(1);
    views.set('a', view(9, 'closed'));
    views.set('a', view(4, 'open'));

    for (const run of ['b', 'c']) views.set(run, view(2, 'closed'));

    expect(views.of('a')?.seq).toBe(4);
  });
});
