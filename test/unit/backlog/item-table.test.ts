/** The table of an item: each line of its journal, and what follows each end of a run. */
import { describe, expect, it } from '@jest/globals';
import type { ItemEvent, ItemState } from '../../../workflows/item/item-state.js';
import { ITEM_RULES, newItem } from '../../../workflows/item/item-table.js';
import { viewOf } from '../../../workflows/item/item-view.js';
import { anItem, anItemInput } from '../../support/an-item.js';
import { newestOf } from '../../support/newest-rules.js';

const RULES = newestOf(ITEM_RULES);
const NOW = Date.parse('2026-11-26T11:00:00.000Z');

function after(state: ItemState, ...events: readonly ItemEvent[]): ItemState {
  return events.reduce((now, event) => RULES.after(now, event, NOW).state, state);
}

const BEGUN = after(anItem(), { kind: 'begin' });
const GRANT: ItemEvent = { kind: 'slotGranted', version: 0, at: NOW, behind: [] };
const OPENED: ItemEvent = { kind: 'runChanged', runId: 'shop-1', state: 'working' };
const RUNNING = after(BEGUN, GRANT, OPENED);

function ended(
  outcome: 'merge_ready' | 'no_changes' | 'blocked' | 'failed' | 'aborted',
  error: string | null = null,
  runId = 'shop-1',
): ItemEvent {
  const result = {
    runId,
    outcome,
    blockedReason: null,
    error,
    branch: 'sluice/shop-1',
    headSha: null,
    verdict: null,
    isLanding: false,
    hasChange: outcome !== 'no_changes',
    document: null,
  };
  return { kind: 'fate', runId, fate: { kind: 'ended', result } };
}

describe('an item', () => {
  it('leaves a line for each transition: from, to, reason, driver, actor', () => {
    const done = after(RUNNING, ended('blocked', 'the reviewer blocked it'), {
      kind: 'done',
      by: 'bob',
      note: 'did it by hand',
    });

    expect(
      done.journal.map(({ from, to, reason, driver, actor, note }) => ({ from, to, reason, driver, actor, note })),
    ).toEqual([
      { from: null, to: 'queued', reason: null, driver: 'create', actor: 'ann', note: null },
      { from: 'queued', to: 'running', reason: null, driver: 'engine', actor: null, note: null },
      {
        from: 'running',
        to: 'parked',
        reason: 'blocked',
        driver: 'engine',
        actor: null,
        note: 'the reviewer blocked it',
      },
      { from: 'parked', to: 'closed', reason: 'forced', driver: 'done', actor: 'bob', note: 'did it by hand' },
    ]);
    expect(done.journal[0]?.at).toBe('2026-11-26T10:00:00.000Z');
  });

  it('keeps the line of how it began, and that of who decided about it in the moment in which it began', () => {
    const approve: ItemEvent = { kind: 'approve', by: 'bob', note: null, planHash: null, choice: null };
    const { journal, look } = after(newItem(anItemInput({ gate: 'start' })), approve, { kind: 'begin' });

    expect(journal.map(({ from, to, driver, actor }) => ({ from, to, driver, actor }))).toEqual([
      { from: null, to: 'gated', driver: 'create', actor: 'ann' },
      { from: 'gated', to: 'queued', driver: 'approve', actor: 'bob' },
    ]);
    expect(look).not.toBeNull();
  });

  it('is running once its run has its branch, not when that is started', () => {
    const starting = after(BEGUN, GRANT);

    expect(starting).toMatchObject({ state: 'queued', run: { runId: 'shop-1', word: null }, runs: 1 });
    expect(after(starting, OPENED)).toMatchObject({ state: 'running', run: { word: 'working' } });
  });

  it.each([
    ['merge_ready', 'unmerged'],
    ['no_changes', 'no_commits'],
    ['blocked', 'blocked'],
    ['failed', 'executor_error'],
    ['aborted', 'stopped'],
  ] as const)('parks after %s with the reason %s, and holds no slot', (outcome, reason) => {
    const parked = after(RUNNING, ended(outcome));

    expect(parked).toMatchObject({ state: 'parked', reason, run: null, result: { outcome, branch: 'sluice/shop-1' } });
  });

  it.each(['run_gone', 'repository_changed'] as const)(
    'parks as %s where its run ended without an answer, or could not begin',
    (reason) => {
      const fate = { kind: 'gone' as const, why: 'it was terminated', reason };

      expect(after(RUNNING, { kind: 'fate', runId: 'shop-1', fate })).toMatchObject({
        state: 'parked',
        reason,
        why: 'it was terminated',
        run: null,
      });
    },
  );

  it.each(['gated', 'queued', 'parked'] as const)('is forced done at once from %s', (state) => {
    expect(after(anItem({ state }), { kind: 'done', by: 'bob', note: null })).toMatchObject({
      state: 'closed',
      reason: 'forced',
    });
  });

  it('is forced done once its run was ended, which says by whom', () => {
    const { state, errands } = RULES.after(RUNNING, { kind: 'done', by: 'bob', note: null }, NOW);

    expect(errands).toEqual([
      {
        kind: 'tellRun',
        workflowId: 'shop-1',
        name: 'abort',
        argument: { by: null, reason: 'done of its task by bob' },
      },
    ]);
    expect(state).toMatchObject({ state: 'running' });
    expect(after(state, ended('aborted'))).toMatchObject({ state: 'closed', reason: 'forced', run: null });
  });

  it('is done where a person forced that after it was asked to stop', () => {
    const both = after(RUNNING, { kind: 'stop', by: 'ann', note: null }, { kind: 'done', by: 'bob', note: null });

    expect(after(both, ended('aborted'))).toMatchObject({ state: 'closed', reason: 'forced' });
  });

  it('starts nothing by a grant for a row that is older, or that is a minute old, and says so of the latter', () => {
    const late = RULES.after(BEGUN, { kind: 'slotGranted', version: 0, at: NOW - 60_001, behind: [] }, NOW);
    const newer = { ...BEGUN, version: 5 };

    expect(late.state.run).toBeNull();
    expect(late.errands).toMatchObject([{ kind: 'report', row: { slot: false, version: NOW } }]);
    expect(RULES.after(newer, GRANT, NOW)).toEqual({ state: newer, errands: [] });
  });

  it('asks a run that was there before it to tell its end, and looks at it after that', () => {
    expect(RULES.after(after(BEGUN, GRANT), { kind: 'taken', runId: 'shop-1' }, NOW).errands).toEqual([
      { kind: 'tellRun', workflowId: 'shop-1', name: 'ownerWaits', argument: { by: null } },
      { kind: 'lookAtRun', workflowId: 'shop-1', runId: 'shop-1', word: null },
    ]);
  });

  it('takes another run id where a stranger has its own, and goes on with a run that it started before it was reset', () => {
    const starting = after(BEGUN, GRANT, { kind: 'taken', runId: 'shop-1' });
    const looked = (owner: string | null, branch: string | null = null) => ({
      kind: 'looked' as const,
      runId: 'shop-1',
      word: null,
      run: { kind: 'open' as const, owner, branch, wait: null },
    });

    expect(after(starting, looked('item:shop/2'))).toMatchObject({ state: 'queued', run: null, runs: 1 });
    expect(after(starting, looked('item:shop/1'))).toMatchObject({ state: 'queued', run: { runId: 'shop-1' } });
    expect(after(starting, looked('item:shop/1', 'sluice/task-1'))).toMatchObject({
      state: 'running',
      run: { runId: 'shop-1' },
    });
    const again = after(starting, looked(null));
    const grant: ItemEvent = { kind: 'slotGranted', version: again.version, at: NOW, behind: [] };
    expect(after(again, grant)).toMatchObject({ run: { runId: 'shop-1.2' }, runs: 2 });
  });

  it('reports a version that rises, also over what somebody knows of it from before a reset', () => {
    const told = RULES.after(BEGUN, { kind: 'report', known: NOW + 5 }, NOW);

    expect(told.errands).toMatchObject([{ kind: 'report', workflowId: 'backlog:shop', row: { version: NOW + 6 } }]);
  });

  it('is done once the head of its last run is on its base, also where it hears that first', () => {
    const landed: ItemEvent = { kind: 'landingChanged', runId: 'shop-1', state: 'merged' };

    expect(after(RUNNING, ended('merge_ready'), landed)).toMatchObject({ state: 'closed', reason: 'merged' });
    expect(after(RUNNING, landed, ended('merge_ready'))).toMatchObject({ state: 'closed', reason: 'merged' });
    expect(after(RUNNING, ended('merge_ready'), { ...landed, runId: 'shop-2' })).toMatchObject({ state: 'parked' });
    expect(after(RUNNING, ended('no_changes'), landed)).toMatchObject({ state: 'parked', reason: 'no_commits' });
  });

  it.each(['blocked', 'failed', 'aborted'] as const)(
    'is done where a person landed the change of a run that was %s',
    (outcome) => {
      const landed: ItemEvent = { kind: 'landingChanged', runId: 'shop-1', state: 'merged' };

      expect(after(RUNNING, ended(outcome), landed)).toMatchObject({ state: 'closed', reason: 'merged', why: null });
    },
  );

  it('tells its backlog when its change is ready in the chain, and when it is not any more', () => {
    const heard = (state: 'ready' | 'waiting'): ItemEvent => ({ kind: 'landingChanged', runId: 'shop-1', state });
    const parked = after(RUNNING, ended('merge_ready'));
    const ready = RULES.after(parked, heard('ready'), NOW);
    const back = RULES.after(ready.state, heard('waiting'), NOW);

    expect(viewOf(parked).head).toBe('waiting');
    expect(ready.errands).toMatchObject([
      { kind: 'report', row: { state: 'parked', reason: 'unmerged', ready: 'shop-1' } },
    ]);
    expect(viewOf(ready.state)).toMatchObject({ head: 'ready', state: 'parked' });
    expect(back.errands).toMatchObject([{ kind: 'report', row: { ready: null } }]);
    // Of a run that is under way nothing waits to be landed yet.
    expect(RULES.after(RUNNING, heard('ready'), NOW).errands).toEqual([]);
  });

  it('hears nothing of the landing of a run before its last', () => {
    const again = after(RUNNING, ended('failed'), { kind: 'run', by: null, note: null });
    const second = after(again, { kind: 'slotGranted', version: again.version, at: NOW, behind: [] });
    const heard: ItemEvent = { kind: 'landingChanged', runId: 'shop-1', state: 'ready' };

    expect(after(second, heard).head).toBeNull();
    expect(after(second, { ...heard, runId: 'shop-1.2' }).head).toEqual({ runId: 'shop-1.2', state: 'ready' });
  });

  it('forgets how the head of a run before its last stood', () => {
    const ready = after(RUNNING, ended('merge_ready'), { kind: 'landingChanged', runId: 'shop-1', state: 'ready' });
    const again = after(ready, { kind: 'run', by: null, note: null });
    const grant: ItemEvent = { kind: 'slotGranted', version: again.version, at: NOW, behind: [] };
    const second = after(again, grant, ended('merge_ready', null, 'shop-1.2'));

    expect(viewOf(second)).toMatchObject({ state: 'parked', reason: 'unmerged', head: 'waiting' });
  });

  it('that waits to be landed lands no more once a person decides about it', () => {
    const ready = after(RUNNING, ended('merge_ready'), { kind: 'landingChanged', runId: 'shop-1', state: 'ready' });
    const aborts = (kind: 'remove' | 'reject' | 'done' | 'run', item: ItemState) =>
      RULES.after(item, { kind, by: 'ann', note: null }, NOW).errands.filter((errand) => errand.kind === 'tellRun');

    for (const kind of ['remove', 'reject', 'done', 'run'] as const) {
      const reason = `its task shop-1 is ${kind === 'run' ? 'queued' : 'closed'}`;
      expect(aborts(kind, ready)).toEqual([
        { kind: 'tellRun', workflowId: 'landing:shop-1', name: 'abort', argument: { by: null, reason } },
      ]);
      expect(aborts(kind, after(RUNNING, ended('failed')))).toEqual([]);
    }
  });

  it.each([
    ['stop', { state: 'parked', reason: 'stopped' }, 'its task shop-1 is stopped'],
    ['done', { state: 'closed', reason: 'forced' }, 'its task shop-1 is closed'],
  ] as const)('lands no more where a person says %s while its run closes', (kind, at, reason) => {
    const asked = after(RUNNING, { kind, by: 'bob', note: null });
    const { state, errands } = RULES.after(asked, ended('merge_ready'), NOW);

    expect(state).toMatchObject(at);
    expect(errands).toMatchObject([
      { kind: 'tellRun', workflowId: 'landing:shop-1', name: 'abort', argument: { reason } },
      { kind: 'report' },
    ]);
    const aborted = RULES.after(asked, ended('aborted'), NOW);
    expect(aborted.errands.map(({ kind: one }) => one)).toEqual(['report']);
  });

  it.each([
    ['stopped while it closed', [{ kind: 'stop', by: 'bob', note: null }, ended('merge_ready')]],
    ['to be made once more', [ended('merge_ready'), { kind: 'run', by: 'bob', note: null }]],
  ] as const)('is done where its landing was not to be held up any more: %s', (_, events) => {
    const decided = after(RUNNING, ...events);
    const merged: ItemEvent = { kind: 'landingChanged', runId: 'shop-1', state: 'merged' };

    expect(after(decided, merged)).toMatchObject({ state: 'closed', reason: 'merged', look: null });
    const begun = after(decided, { kind: 'slotGranted', version: decided.version, at: NOW, behind: [] });
    if (decided.state === 'queued') expect(after(begun, merged)).toMatchObject({ state: 'queued', runs: 2 });
  });

  it('is done where its landing was over before it was heard that its run was, whatever a person wanted', () => {
    const merged: ItemEvent = { kind: 'landingChanged', runId: 'shop-1', state: 'merged' };
    const stop: ItemEvent = { kind: 'stop', by: 'bob', note: null };

    for (const events of [
      [merged, stop],
      [stop, merged],
    ])
      expect(after(RUNNING, ...events, ended('merge_ready'))).toMatchObject({ state: 'closed', reason: 'merged' });
  });

  it('waits for approval where it has a gate, and takes its place in the order by the time of that', () => {
    const gated = after(
      anItem({ ...anItem(), input: anItemInput({ gate: 'start' }), state: 'gated', reason: 'start' }),
      { kind: 'begin' },
    );
    const approved = after(gated, { kind: 'approve', by: 'ann', note: null, planHash: null, choice: null });

    expect(viewOf(gated)).toMatchObject({ state: 'gated', reason: 'start', waits: 'person' });
    expect(approved).toMatchObject({ state: 'queued', reason: null, since: NOW });
    expect(viewOf(approved).waits).toBe('slot');
  });
});
