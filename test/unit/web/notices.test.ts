/** Of what a person is told who looks elsewhere. */
import { describe, expect, it } from '@jest/globals';
import type { RunRow, Source } from '../../../client/http/shapes.js';
import { type Live, NOTHING_LIVE } from '../../../page/state/live.js';
import { noticesOf } from '../../../page/state/notices.js';

const row = (group: RunRow['group'], state = 'works', since = '1', startedAt = '5'): RunRow => ({
  runId: 'a',
  state,
  title: 'Fix it',
  group,
  where: '',
  retrying: null,
  since,
  startedAt,
  costMicroUsd: null,
  repo: null,
  branch: null,
  host: null,
});

const listOf = (rows: readonly RunRow[], kind: Source['kind'] = 'server'): Live => ({
  ...NOTHING_LIVE,
  rows: new Map(rows.map((one) => [one.runId, one])),
  source: { kind, why: null },
});

const between = (before: RunRow | null, after: RunRow) =>
  noticesOf(listOf(before === null ? [] : [before]), listOf([after])).map(({ title }) => title);

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
    expect(noticesOf(NOTHING_LIVE, listOf([row('yours')]))).toEqual([]);
  });

  it('is given of no older run that is listed only now', () => {
    const known = { ...row('working'), runId: 'b' };

    expect(noticesOf(listOf([known]), listOf([known, row('yours', 'waits', '1', '4')]))).toEqual([]);
  });

  it.each([
    ['files', 'server'],
    ['server', 'files'],
    ['files', 'files'],
  ] as const)('is given of nothing that %s and then %s tell: files know less of a run', (before, after) => {
    const lands = row('queued', 'waits');

    expect(noticesOf(listOf([lands], before), listOf([row('ready', 'ready')], after))).toEqual([]);
    expect(noticesOf(listOf([lands]), listOf([row('ready', 'ready')]))).toHaveLength(1);
  });

  it('has the same tag for the same gate, and another for the next', () => {
    const at = (since: string) => noticesOf(listOf([row('working')]), listOf([row('yours', 'waits', since)]))[0]?.tag;

    expect([at('1') === at('1'), at('1') === at('2')]).toEqual([true, false]);
  });
});
