import { describe, expect, it } from '@jest/globals';
import { type Candidate, pickRun } from '../../../client/cli/find/pick-run.js';

const aRun = (runId: string, over: Partial<Candidate> = {}): Candidate => ({
  runId,
  workflowId: runId,
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

  it('refuses a part that several have and names them newest first', () => {
    const pick = pickRun('abc', runs);

    expect(pick).toMatchObject({ kind: 'many', runs: [{ runId: 'shop-261121-abce' }, { runId: 'shop-261121-abcd' }] });
  });

  it('refuses a part that no run has', () => {
    expect(pickRun('zzz', runs)).toEqual({ kind: 'none', asked: 'zzz' });
  });

  it('finds a run by the workflow id that a schedule gave it', () => {
    const scheduled = aRun('nightly-2026-11-21T03-00-00Z', { workflowId: 'nightly-2026-11-21T03:00:00Z' });

    expect(pickRun('03:00', [...runs, scheduled])).toMatchObject({ kind: 'one', run: { runId: scheduled.runId } });
  });

  it('takes the only open run when none is named', () => {
    const pick = pickRun(null, [...runs, aRun('open-1', { status: 'executing' })]);

    expect(pick).toMatchObject({ kind: 'one', run: { runId: 'open-1' } });
  });

  it('takes the only run when none is named and it is closed', () => {
    expect(pickRun(null, [aRun('only')])).toMatchObject({ kind: 'one', run: { runId: 'only' } });
  });

  it('refuses to guess between two open runs', () => {
    const pick = pickRun(null, [aRun('a', { status: 'executing' }), aRun('b', { status: 'created' }), aRun('c')]);

    expect(pick).toMatchObject({ kind: 'many', runs: [{ runId: 'a' }, { runId: 'b' }] });
  });

  it('says that there is none in an empty list', () => {
    expect(pickRun(null, [])).toEqual({ kind: 'none', asked: null });
  });
});
