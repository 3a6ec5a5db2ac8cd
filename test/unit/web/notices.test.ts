/** Of what a person is told who looks elsewhere. */
import { describe, expect, it } from '@jest/globals';
import type { RunRow } from '../../../client/http/shapes.js';
import { noticesOf } from '../../../page/state/notices.js';

const row = (group: RunRow['group'], state = 'works', since = '1', startedAt = '5'): RunRow => ({
  ...{ runId: 'a', state, title: 'Fix it', group, where: '', retrying: null, since, startedAt },
  ...{ costMicroUsd: null, repo: null, branch: null, host: null },
});

const between = (before: RunRow | null, after: RunRow) =>
  noticesOf(new Map(before === null ? [] : [['a', before]]), new Map([['a', after]])).map(({ title }) => title);

describe('a notice', () => {
  it.each([
    ['a gate that opened', row('working'), row('yours', 'waits'), ['Fix it waits for you']],
    ['a run that is ready', row('working'), row('ready', 'ready'), ['Fix it: ready']],
    ['a run that failed', row('yours', 'waits'), row('done', 'failed'), ['Fix it: failed']],
    ['a run that goes on', row('yours', 'waits'), row('working'), []],
    ['a run that waits in a queue', row('working'), row('queued', 'waits'), []],
    ['a gate that stays open', row('yours', 'waits'), row('yours', 'waits', '2'), []],
    ['a run that was ready and landed', row('ready', 'ready'), row('done', 'merged'), []],
    ['a run that began and waits already', null, row('yours', 'waits'), ['Fix it waits for you']],
  ])('%s', (_what, before, after, titles) => {
    expect(between(before, after)).toEqual(titles);
  });

  it('has no title that a system would show reordered', () => {
    const named = { ...row('yours', 'waits'), title: 'gnp\u202e\nexe' };

    expect(between(row('working'), named)).toEqual(['gnp<U+202E>⏎exe waits for you']);
  });

  it('is given of nothing that was there when the page began', () => {
    expect(noticesOf(null, new Map([['a', row('yours')]]))).toEqual([]);
  });

  it('is given of no older run, which comes with the rest of a long list', () => {
    const known = new Map([['b', { ...row('working'), runId: 'b' }]]);

    expect(noticesOf(known, new Map([...known, ['a', row('yours', 'waits', '1', '4')]]))).toEqual([]);
  });

  it('has the same tag for the same gate, and another for the next', () => {
    const at = (since: string) =>
      noticesOf(new Map([['a', row('working')]]), new Map([['a', row('yours', 'waits', since)]]))[0]?.tag;

    expect([at('1') === at('1'), at('1') === at('2')]).toEqual([true, false]);
  });
});
