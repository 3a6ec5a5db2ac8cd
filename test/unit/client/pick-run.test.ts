import { describe, expect, it } from '@jest/globals';
import { type Candidate, pickRun } from '../../../client/cli/find/pick-run.js';

const aRun = (runId: string, over: Partial<Candidate> = {}): Candidate => ({
  runId,
  workflowId: runId,
  title: null,
  status: 'merge_ready',
  startedAt: '2026-11-21T10:00:00.000Z',
  ...over,
});

const runs = [
  aRun('shop-261121-abcd'),
  aRun('shop-261121-abce', { startedAt: '2026-11-21T11:00:00.000Z' }),
  aRun('blog-261121-shop', { startedAt: '2026-11-21T12:00:00.000Z' }),
];

describe('picking a run', () => {
  it.each([
    ['the whole id', 'shop-261121-abcd', 'shop-261121-abcd'],
    ['a part that only one has', 'abce', 'shop-261121-abce'],
    ['a beginning, though another has it inside', 'blog', 'blog-261121-shop'],
  ])('takes %s', (_, asked, expected) => {
    const pick = pickRun(asked, runs);

    expect(pick).toMatchObject({ kind: 'one', run: { runId: expected } });
  });

  it('takes an id that is a part of another one', () => {
    const pick = pickRun('fix', [aRun('fix'), aRun('fix-2')]);

    expect(pick).toMatchObject({ kind: 'one', run: { runId: 'fix' } });
  });

  it('takes the newest run of a task by its number, an open one first, and refuses that of tasks of two projects', () => {
    const [first, second, twelfth] = [
      aRun('shop-2'),
      aRun('shop-2.2', { startedAt: '2026-11-21T13:00:00.000Z' }),
      aRun('shop-12'),
    ];

    expect(pickRun('2', [first, second, twelfth])).toMatchObject({ kind: 'one', run: { runId: 'shop-2.2' } });
    expect(pickRun('2', [{ ...first, status: 'executing' }, second])).toMatchObject({ run: { runId: 'shop-2' } });
    expect(pickRun('shop-2', [first, second])).toMatchObject({ kind: 'one', run: { runId: 'shop-2' } });
    expect(pickRun('2', [first, aRun('blog-2')])).toMatchObject({ kind: 'many' });
    // It has no run: a run of another task is not meant.
    expect(pickRun('1', [first, twelfth, aRun('2026-11-21')])).toEqual({ kind: 'none' });
    expect(pickRun('11', [first, aRun('shop-2026-11-21')])).toMatchObject({ kind: 'one' });
  });

  it('refuses a part that several have and names them newest first', () => {
    const pick = pickRun('abc', runs);

    expect(pick).toMatchObject({ kind: 'many', runs: [{ runId: 'shop-261121-abce' }, { runId: 'shop-261121-abcd' }] });
  });

  it('refuses a part that no run has', () => {
    expect(pickRun('zzz', runs)).toEqual({ kind: 'none' });
  });

  it('finds a run by the workflow id that a schedule gave it', () => {
    const scheduled = aRun('nightly-2026-11-21T03-00-00Z', { workflowId: 'nightly-2026-11-21T03:00:00Z' });

    expect(pickRun('03:00', [...runs, scheduled])).toMatchObject({ kind: 'one', run: { runId: scheduled.runId } });
  });

  it.each([[null], ['@last']])('takes the newest by the name %s, an open one before all closed ones', (asked) => {
    const early = '2026-11-20T10:00:00.000Z';
    const open = [
      aRun('open-1', { status: 'executing', startedAt: early }),
      aRun('open-2', { status: 'created', startedAt: '2026-11-20T11:00:00.000Z' }),
      aRun('elsewhere', { status: 'executing', execution: 'UNKNOWN' }),
    ];

    expect(pickRun(asked, runs)).toMatchObject({ kind: 'one', run: { runId: 'blog-261121-shop' } });
    expect(pickRun(asked, [...runs, ...open])).toMatchObject({ kind: 'one', run: { runId: 'open-2' } });
  });

  it('takes a part of a title where no id has it, and names several with the open ones first', () => {
    const titled = [
      aRun('a', { title: 'Mend the Parser' }),
      aRun('b', { title: 'parser speed', status: 'executing', startedAt: '2026-11-20T10:00:00.000Z' }),
      aRun('c', { title: 'x' }),
    ];

    expect(pickRun('mend the', titled)).toMatchObject({ kind: 'one', run: { runId: 'a' } });
    expect(pickRun('PARSER', titled)).toMatchObject({ kind: 'many', runs: [{ runId: 'b' }, { runId: 'a' }] });
  });

  it('says that there is none in an empty list', () => {
    expect(pickRun(null, [])).toEqual({ kind: 'none' });
  });
});
