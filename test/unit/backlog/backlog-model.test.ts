/** A backlog, its items and their runs under a post that is late, doubles and overtakes, and under resets: whatever happens, no run is started above the limit, and everything settles. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ITEM_MOVES } from '../../../protocol/actors/item.js';
import { answerTo } from '../../../workflows/backlog/admission.js';
import { viewOf } from '../../../workflows/backlog/backlog-view.js';
import { hasSlot } from '../../../workflows/backlog/rows.js';
import { ACTS, Play } from '../../support/backlog-play.js';
import { BacklogWorld } from '../../support/backlog-world.js';

const DAY_MS = 24 * 60 * 60_000;

describe('a backlog and its items', () => {
  it('start no run above the limit, lose no slot, and settle, whatever is late, doubled or reset', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(ACTS, { maxLength: 120 }), (limit, acts) => {
        const play = new Play(limit);
        for (const act of acts) play.act(act);
        const most = play.world.most;
        play.comeToRest();

        const { items, backlog } = play.world;
        expect([...items.values()].filter(({ state }) => state !== 'parked' && state !== 'closed')).toEqual([]);
        expect(backlog.rows.all.filter(hasSlot)).toEqual([]);
        expect(backlog.creates).toEqual([]);
        const moves = [...items.values()].flatMap(({ journal }) => journal);
        expect(moves.filter(({ from, to }) => from !== null && !ITEM_MOVES[from].includes(to))).toEqual([]);
        if (acts.some(({ kind }) => kind === 'reset')) return;
        expect(Math.max(most, play.world.most)).toBeLessThanOrEqual(limit);
        expect(play.world.wrongs).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });

  it('run one after the other, the oldest first, each exactly once', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two' }, { task: 'three' }]);
    const order: string[] = [];
    for (let rounds = 0; rounds < 5; rounds += 1) {
      world.settle();
      const open = world.openRuns();
      order.push(...open);
      expect(open.length).toBeLessThanOrEqual(1);
      for (const run of open) world.end(run);
    }

    expect(order).toEqual(['shop-1', 'shop-2', 'shop-3']);
  });

  it('start the higher priority first, two at once where two may', () => {
    const world = new BacklogWorld({ maxConcurrent: 2, order: 'priority' });
    world.create('k', [
      { task: 'one' },
      { task: 'two' },
      { task: 'three', priority: 5 },
      { task: 'four', priority: 7 },
    ]);
    world.settle();

    expect(world.openRuns().toSorted()).toEqual(['shop-3', 'shop-4']);
  });

  it('start a task once those that it depends on are done, and park it where one of them is given up', () => {
    const world = new BacklogWorld({ maxConcurrent: 4 });
    world.create('k', [
      { task: 'one' },
      { task: 'two', dependsOn: ['#1'] },
      { task: 'three', dependsOn: ['1', '#2'] },
      { task: 'four' },
      { task: 'five', dependsOn: ['#4'] },
    ]);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1', 'shop-4']);
    expect(viewOf(world.backlog).entries.map(({ id, waitsFor }) => [id, waitsFor])).toEqual([
      ['1', null],
      ['2', { kind: 'dependency', holder: '1' }],
      ['3', { kind: 'dependency', holder: '1' }],
      ['4', null],
      ['5', { kind: 'dependency', holder: '4' }],
    ]);
    for (const run of world.openRuns()) world.end(run);
    world.settle();
    expect(world.openRuns()).toEqual([]);
    world.tellItem('1', { kind: 'landingChanged', runId: 'shop-1', state: 'merged' });
    world.tellItem('4', { kind: 'reject', by: 'ann', note: null });
    world.settle();

    expect(world.openRuns()).toEqual(['shop-2']);
    expect(world.items.get('5')).toMatchObject({
      state: 'parked',
      reason: 'dependency_failed',
      why: 'task 4, on which it depends, is closed: rejected',
    });
    world.tellItem('5', { kind: 'run', by: 'ann', note: null });
    world.settle();
    expect(world.openRuns()).toEqual(['shop-2', 'shop-5']);
    // What the index knew is asked of nobody.
    expect(world.looks).toBe(0);
  });

  it('start a task whose dependency is ready in the chain, unless they start from the base', () =>
    (['tip', 'base'] as const).forEach(startBehind));

  function startBehind(from: 'tip' | 'base'): void {
    const world = new BacklogWorld({ maxConcurrent: 2, from });
    world.create('k', [
      { task: 'one' },
      { task: 'two', dependsOn: ['#1'] },
      { task: 'three', dependsOn: ['#1', '#2'] },
    ]);
    world.settle();
    world.end('shop-1');
    world.settle();
    const told = (state: 'ready' | 'waiting') => {
      world.tellItem('1', { kind: 'landingChanged', runId: 'shop-1', state });
      world.settle();
    };
    expect(world.openRuns()).toEqual([]);
    world.tellBacklog({ kind: 'pause', by: null });
    told('ready');
    told('waiting');
    world.tellBacklog({ kind: 'resume', by: null });
    world.settle();
    // The chain was made anew before a slot was given.
    expect(world.openRuns()).toEqual([]);
    expect(viewOf(world.backlog).entries.find(({ id }) => id === '2')?.waitsFor).toEqual({
      kind: 'dependency',
      holder: '1',
    });
    told('ready');

    expect(world.openRuns()).toEqual(from === 'tip' ? ['shop-2'] : []);
    expect(viewOf(world.backlog).entries.find(({ id }) => id === '3')?.waitsFor).toEqual({
      kind: 'dependency',
      holder: from === 'tip' ? '2' : '1',
    });
  }

  it('start behind the changes that they depend on and that are not on their base yet', () => {
    const world = new BacklogWorld({ maxConcurrent: 2 });
    world.create('k', [{ task: 'one' }, { task: 'two' }, { task: 'three', dependsOn: ['#1', '#2'] }]);
    world.settle();
    for (const [id, state] of [['1', 'ready'] as const, ['2', 'merged'] as const]) {
      world.end(`shop-${id}`);
      world.settle();
      world.tellItem(id, { kind: 'landingChanged', runId: `shop-${id}`, state });
      world.settle();
    }

    expect(world.runs.get('shop-3')?.behind).toEqual(['shop-1']);
  });

  it('know a dependency that was numbered before its host died, whether it is open or closed since', () => {
    const half = new BacklogWorld();
    half.diesAfter = 1;
    const world = new BacklogWorld({ maxConcurrent: 2 });
    world.diesAfter = 2;
    for (const one of [half, world]) {
      one.create('k', [{ task: 'one' }, { task: 'two', dependsOn: ['#1'] }]);
      one.settle();
      expect(one.openRuns()).toEqual(['shop-1']);
      expect(one.items.get('2')).toMatchObject({ state: 'queued' });
    }
    world.tellItem('1', { kind: 'done', by: 'ann', note: null });
    world.settle();
    world.open('shop-1');
    world.settle();
    expect(world.openRuns()).toEqual(['shop-2']);
    world.create('k', [{ task: 'one' }, { task: 'two', dependsOn: ['#1'] }]);
    world.create('l', [{ task: 'three', dependsOn: ['1'] }]);
    world.settle();

    expect(world.openRuns()).toEqual(['shop-2', 'shop-3']);
  });

  it('tell a task that its dependency failed while it was being started, once it is there', () => {
    const world = new BacklogWorld({ maxConcurrent: 4 });
    world.create('k', [
      { task: 'one', gate: 'start' },
      { task: 'two', gate: 'start' },
    ]);
    world.settle();
    world.tellItem('1', { kind: 'reject', by: 'ann', note: null });
    world.settle();
    world.holdsStarts = true;
    world.create('l', [
      { task: 'three', dependsOn: ['1'] },
      { task: 'four', dependsOn: ['2'] },
    ]);
    world.settle();
    world.tellItem('2', { kind: 'reject', by: 'ann', note: null });
    world.settle();
    expect(world.backlog.rows.all.map(({ id }) => id)).toEqual(['3', '4']);
    world.releaseStarts();
    world.settle();

    expect(['3', '4'].map((id) => world.items.get(id)?.reason)).toEqual(['dependency_failed', 'dependency_failed']);
    expect(world.openRuns()).toEqual([]);
  });

  it('do not look for a dependency that is being started', () => {
    const world = new BacklogWorld();
    world.numberUnheard('k', 'one');
    world.holdsStarts = true;
    world.create('l', [{ task: 'two', dependsOn: ['1'] }]);
    world.settle();
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.releaseStarts();
    world.settle();

    expect(world.items.get('2')).toMatchObject({ state: 'queued' });
    expect(world.openRuns()).toEqual(['shop-1']);
  });

  it('ask the server for a dependency that is closed already, or that nobody knows', () => {
    const world = new BacklogWorld({ maxConcurrent: 4 });
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.tellItem('1', { kind: 'done', by: 'ann', note: null });
    world.settle();
    world.create('l', [
      { task: 'two', dependsOn: ['1'] },
      { task: 'three', dependsOn: ['99'] },
    ]);
    world.settle();

    expect(world.openRuns()).toEqual(['shop-2']);
    expect(world.items.get('3')).toMatchObject({
      state: 'parked',
      why: 'task 99, on which it depends, is not known any more',
    });
  });

  it('keep tasks apart that touch one file where that is said, let others past, and tell it where it is not', () => {
    const tasks = [
      { task: 'one', files: ['src/**'] },
      { task: 'two', files: ['./src/parse.ts'] },
      { task: 'three', files: ['docs'] },
    ];
    const apart = new BacklogWorld({ maxConcurrent: 3, conflicts: 'block' });
    const told = new BacklogWorld({ maxConcurrent: 1 });
    for (const world of [apart, told]) {
      world.create('k', tasks);
      world.settle();
    }

    expect(apart.openRuns()).toEqual(['shop-1', 'shop-3']);
    expect(viewOf(apart.backlog).entries.find(({ id }) => id === '2')).toMatchObject({
      waitsFor: { kind: 'files', holder: '1' },
      meets: ['1'],
    });
    expect(viewOf(told.backlog).entries.map(({ waitsFor, meets }) => [waitsFor, meets])).toEqual([
      [null, []],
      [{ kind: 'slot', holder: null }, ['1']],
      [{ kind: 'slot', holder: null }, []],
    ]);
  });

  it('close a task that nobody takes up for its days, and let it go on afterwards with another run, once', () => {
    const world = new BacklogWorld({ parkedDays: 30 });
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.end('shop-1', 'failed');
    world.settle();
    for (let days = 0; days < 29; days += 1) world.wait(DAY_MS);
    expect(world.items.get('1')).toMatchObject({ state: 'parked', reason: 'executor_error' });
    world.wait(2 * DAY_MS);
    world.settle();
    expect(world.items.get('1')).toMatchObject({ state: 'closed', reason: 'expired' });
    expect(world.backlog.rows.all).toEqual([]);
    world.runAgain('1', 1);
    world.settle();

    expect(world.openRuns()).toEqual(['shop-1.2']);
    expect(
      world.items.get('1')?.journal.map(({ from, to, driver, actor, note }) => [from, to, driver, actor, note]),
    ).toEqual([['closed', 'queued', 'run', 'bob', 'once more']]);
    world.runAgain('1', 1);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1.2']);
  });

  it('let a task wait to be merged for as long as that takes', () => {
    const world = new BacklogWorld({ parkedDays: 1 });
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.end('shop-1');
    world.settle();
    world.wait(100 * DAY_MS);

    expect(world.items.get('1')).toMatchObject({ state: 'parked', reason: 'unmerged' });
  });

  it('notice that a task is gone for which another waits, and start one again whose row is of before', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two', dependsOn: ['#1'] }, { task: 'three' }]);
    world.settle();
    world.end('shop-1', 'failed');
    world.settle();
    world.end('shop-3', 'failed');
    world.settle();
    world.items.delete('1');
    world.items.delete('3');
    world.wait(DAY_MS);
    world.settle();
    expect(world.items.get('2')).toMatchObject({ state: 'parked', reason: 'dependency_failed' });
    expect(world.backlog.rows.all.map(({ id }) => id)).toEqual(['2', '3']);
    world.runAgain('3', 1);
    world.settle();

    expect(world.openRuns()).toEqual(['shop-3.2']);
  });

  it('give each person a turn where that is the order', () => {
    const world = new BacklogWorld({ maxConcurrent: 2, order: 'fair' });
    world.tellBacklog({ kind: 'pause', by: null });
    world.create('k', [{ task: 'one' }, { task: 'two' }, { task: 'three' }]);
    world.create('l', [{ task: 'four' }], { by: 'bob' });
    world.settle();
    world.tellBacklog({ kind: 'resume', by: null });
    world.settle();

    expect(world.openRuns()).toEqual(['shop-1', 'shop-4']);
  });

  it('give the slot of one that is stopped to the next, and none to one that waits for approval', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one', gate: 'start' }, { task: 'two' }, { task: 'three' }]);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-2']);
    world.tellItem('2', { kind: 'stop', by: 'ann', note: null });
    world.settle();

    expect(world.items.get('2')).toMatchObject({ state: 'parked', reason: 'stopped' });
    expect(world.openRuns()).toEqual(['shop-3']);
    expect(world.items.get('1')).toMatchObject({ state: 'gated', reason: 'start' });
  });

  it('start nothing above the limit where the backlog is ended and begun anew, before all that is open has told how it stands', () => {
    const world = new BacklogWorld({ maxConcurrent: 1 });
    world.create('k', [{ task: 'one' }, { task: 'two' }, { task: 'three' }]);
    world.settle();
    world.open('shop-1');
    world.settle();
    world.terminateBacklog();
    // The third tells first, by itself.
    world.tellItem('3', { kind: 'report', known: 0 });
    world.deliver(1);
    const waits = () => viewOf(world.backlog).entries.find(({ id }) => id === '3')?.waitsFor;
    expect(waits()).toEqual({ kind: 'news', holder: null });
    world.settle();

    expect(world.openRuns()).toEqual(['shop-1']);
    expect(viewOf(world.backlog).counts).toMatchObject({ gated: 0, queued: 2, running: 1, parked: 0 });
    expect(waits()).toEqual({ kind: 'slot', holder: null });
    world.end('shop-1');
    world.settle();
    expect(world.openRuns()).toEqual(['shop-2']);
  });

  it('ask the server again which tasks are open where it did not tell, and wait for none that is gone', () => {
    const world = new BacklogWorld({ maxConcurrent: 1 });
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.terminateBacklog();
    world.tellBacklog({ kind: 'openUnknown' });
    world.post.clear();
    world.items.delete('1');
    world.create('k2', [{ task: 'two' }]);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1']);
    world.tellBacklog({ kind: 'open', ids: ['1', '2'] });
    world.settle();

    expect(world.backlog.unheard).toEqual([]);
    expect(world.openRuns()).toEqual(['shop-1', 'shop-2']);
    // One that is silent counts as at work, and is asked again.
    world.terminateBacklog();
    world.tellBacklog({ kind: 'open', ids: ['9'] });
    world.post.clear();
    expect(world.backlog.unheard).toEqual(['9']);
    world.wait(60_000);
    world.settle();
    expect(world.backlog.unheard).toEqual([]);
    world.terminateBacklog();
    world.post.clear();
    world.tellBacklog({ kind: 'openUnknown' });
    world.wait(60_000);
    world.settle();
    expect(world.backlog.unheard).toEqual([]);
  });

  it('start nothing while they are paused, and all that waits afterwards', () => {
    const world = new BacklogWorld({ maxConcurrent: 2 });
    world.tellBacklog({ kind: 'pause', by: 'ann' });
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    world.settle();
    expect(world.openRuns()).toEqual([]);
    world.tellBacklog({ kind: 'resume', by: 'ann' });
    world.settle();

    expect(world.openRuns()).toEqual(['shop-1', 'shop-2']);
  });

  it('run tasks whose host died once they had their numbers, by their priority, each once, and one that is closed never again', () => {
    const world = new BacklogWorld({ order: 'priority' });
    world.diesAfter = 2;
    world.tellBacklog({ kind: 'pause', by: null });
    world.create('k', [{ task: 'one' }, { task: 'two', priority: 5 }]);
    world.settle();
    world.tellBacklog({ kind: 'resume', by: null });
    world.settle();
    expect(world.openRuns()).toEqual(['shop-2']);
    world.end('shop-2');
    world.settle();
    world.end('shop-1');
    world.settle();
    world.tellItem('1', { kind: 'done', by: 'ann', note: null });
    world.settle();
    world.create('k', [{ task: 'one' }, { task: 'two', priority: 5 }]);
    world.settle();

    expect([...world.runs.keys()]).toEqual(['shop-2', 'shop-1']);
    expect(world.backlog.rows.all.map(({ id, state }) => [id, state])).toEqual([['2', 'parked']]);
  });

  it('grant each a slot once, however much happens until it answers', () => {
    const world = new BacklogWorld({ maxConcurrent: 2 });
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    world.deliver();
    world.deliver();
    for (let n = 0; n < 5; n += 1) world.create(`k${n}`, [{ task: 'more' }]);

    expect(world.grants).toBe(2);
  });

  it('is not told by an older row that a slot is free', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    world.settle();
    const row = world.backlog.rows.find('1');
    const before = { id: '1', version: 1, state: 'parked' as const, reason: null, slot: false, since: 1, runs: 0 };
    const older = { ...before, priority: 0, ready: null, needs: [], files: [], by: null, linked: 0, held: false };
    world.tellBacklog({ kind: 'itemChanged', row: older });

    expect(world.backlog.rows.find('1')).toEqual(row);
    expect(world.openRuns()).toEqual(['shop-1']);
  });

  it('answer a create once its items can be spoken to', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }]);
    expect(answerTo(world.backlog, { key: 'k' })).toBeNull();
    world.deliver();
    expect(world.backlog.unstarted).toHaveLength(1);
    expect(answerTo(world.backlog, { key: 'k' })).toBeNull();
    world.deliver();

    expect(answerTo(world.backlog, { key: 'k' })).toEqual({ verdicts: [{ kind: 'created', id: '1', title: 'one' }] });
  });

  it('answer the same key with the same number', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }]);
    world.settle();
    world.create('k', [{ task: 'one' }]);
    world.settle();

    expect(world.backlog.answers).toEqual([{ key: 'k', verdicts: [{ kind: 'known', id: '1', title: 'one' }] }]);
    expect([...world.items.keys()]).toEqual(['1']);
  });

  it('take a grant that comes late, or for an older row, as none', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }]);
    world.deliver();
    world.deliver();
    world.wait(61_000);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1']);
    const before = world.items.get('1');
    world.tellItem('1', { kind: 'slotGranted', version: 0, at: world.now, behind: [] });

    expect(world.items.get('1')).toMatchObject({ runs: before?.runs, run: before?.run });
  });
});
