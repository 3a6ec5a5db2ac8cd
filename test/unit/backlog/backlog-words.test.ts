/** What people say of a task or a backlog once it is there: pauses, other terms, and that all is to stop. Source: S-03, V-132. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readBacklogMessage } from '../../../protocol/actors/backlog.js';
import type { ItemChanges } from '../../../protocol/actors/item.js';
import { readItemMessage } from '../../../protocol/actors/item-message.js';
import { viewOf } from '../../../workflows/backlog/backlog-view.js';
import type { ItemState } from '../../../workflows/item/item-state.js';
import { BacklogWorld } from '../../support/backlog-world.js';

const ANN = { by: 'ann', note: null };

function worldOf(count: number, ...terms: ConstructorParameters<typeof BacklogWorld>): BacklogWorld {
  const world = new BacklogWorld(...terms);
  world.create(
    'k',
    Array.from({ length: count }, (_, n) => ({ task: `task ${n + 1}` })),
  );
  world.settle();
  return world;
}

function say(world: BacklogWorld, id: string, kind: 'pause' | 'resume' | 'stop' | 'run'): void {
  world.tellItem(id, { kind, ...ANN });
  world.settle();
}

function set(world: BacklogWorld, id: string, changes: ItemChanges): void {
  world.tellItem(id, { kind: 'set', ...ANN, changes });
  world.settle();
}

function endAll(world: BacklogWorld): void {
  for (const run of world.openRuns()) world.end(run, 'failed');
  world.settle();
}

function waitsIn(world: BacklogWorld) {
  return Object.fromEntries(viewOf(world.backlog).entries.map(({ id, waitsFor }) => [id, waitsFor]));
}

/** Parks what does not run, and takes it up again. */
function flip(world: BacklogWorld, { state, input: { id } }: ItemState): void {
  if (state === 'queued') world.tellItem(id, { kind: 'stop', ...ANN });
  if (state === 'parked') world.tellItem(id, { kind: 'run', ...ANN });
}

describe('a task that waits', () => {
  it('does not start while it is paused, and starts when it is resumed', () => {
    const world = worldOf(3);
    say(world, '2', 'pause');
    expect(waitsIn(world)['2']).toEqual({ kind: 'hold', holder: null });
    endAll(world);
    expect(world.openRuns()).toEqual(['shop-3']);
    endAll(world);
    expect(world.openRuns()).toEqual([]);
    say(world, '2', 'resume');

    expect(world.openRuns()).toEqual(['shop-2']);
    expect(world.items.get('2')?.journal.map(({ driver, from, to }) => [driver, from, to])).toEqual([
      ['create', null, 'queued'],
      ['pause', 'queued', 'queued'],
      ['resume', 'queued', 'queued'],
    ]);
  });

  it('is not started by a slot that was granted before it was paused', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }]);
    while (world.grants === 0) world.deliver();
    world.tellItem('1', { kind: 'pause', ...ANN });
    world.settle();

    expect(world.openRuns()).toEqual([]);
    expect(viewOf(world.backlog).slots).toBe(0);
  });

  it('that runs is paused by its run, and gives its slot away', () => {
    const world = worldOf(2);
    world.open('shop-1');
    world.settle();
    say(world, '1', 'pause');
    expect(world.openRuns()).toEqual(['shop-1', 'shop-2']);
    say(world, '1', 'resume');

    expect(viewOf(world.backlog).slots).toBe(2);
  });

  it('is not paused any more once it is taken up again', () => {
    const world = worldOf(2);
    say(world, '2', 'pause');
    say(world, '2', 'stop');
    say(world, '2', 'run');
    endAll(world);

    expect(world.openRuns()).toEqual(['shop-2']);
  });

  it('starts by the priority, after the tasks and beside the files that somebody said last', () => {
    const world = worldOf(4, { order: 'priority', conflicts: 'block' });
    set(world, '4', { priority: 9 });
    set(world, '3', { files: ['src/**'] });
    set(world, '4', { dependsOn: ['3'], files: ['src/a.ts'] });
    endAll(world);
    expect(waitsIn(world)['4']).toEqual({ kind: 'dependency', holder: '3' });
    expect(world.openRuns()).toEqual(['shop-2']);
    set(world, '4', { dependsOn: [] });
    endAll(world);

    expect(world.openRuns()).toEqual(['shop-4']);
    expect(world.items.get('4')?.journal.map(({ note }) => note)).toEqual([
      null,
      'priority 9',
      'after 3; files src/a.ts',
      'after none',
    ]);
  });

  it('waits for nothing of a task that is done already, and is parked for one that is not there', () => {
    const world = worldOf(3);
    world.tellItem('1', { kind: 'done', ...ANN });
    world.settle();
    set(world, '3', { dependsOn: ['1'] });
    endAll(world);
    expect(world.openRuns()).toEqual(['shop-3']);
    endAll(world);
    say(world, '2', 'run');
    endAll(world);
    world.create('again', [{ task: 'four' }, { task: 'five' }]);
    world.settle();
    set(world, '5', { dependsOn: ['77'] });

    expect(world.items.get('5')).toMatchObject({ state: 'parked', reason: 'dependency_failed' });
  });

  it('is not waited for again once it is done, whatever else is said of those that did', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two', dependsOn: ['#1'] }, { task: 'three' }]);
    world.settle();
    world.tellItem('1', { kind: 'done', ...ANN });
    world.settle();
    set(world, '2', { priority: 3 });
    set(world, '3', { priority: 4 });

    expect(world.looks).toBe(0);
    expect(world.backlog.rows.find('2')?.needs).toEqual([]);
  });

  it('is parked where it would wait for itself in the end, whichever of them was said last', () => {
    const world = worldOf(4);
    set(world, '2', { dependsOn: ['3'] });
    set(world, '3', { dependsOn: ['4'] });
    set(world, '4', { dependsOn: ['1', '2'] });

    expect(world.items.get('4')).toMatchObject({
      state: 'parked',
      reason: 'dependency_failed',
      why: 'task 2, on which it depends, waits for it too: sluice task set <task> --after none',
    });
    say(world, '4', 'run');
    endAll(world);
    // It goes on without that one alone.
    expect(waitsIn(world)['4']).toEqual({ kind: 'dependency', holder: '1' });
    world.tellItem('1', { kind: 'done', ...ANN });
    world.settle();
    expect(world.openRuns()).toEqual(['shop-4']);
  });

  it('is parked for a circle that is closed while one of it is parked, is at work, or was heard of last', () => {
    const parked = worldOf(3);
    say(parked, '2', 'stop');
    set(parked, '3', { dependsOn: ['2'] });
    set(parked, '2', { dependsOn: ['3'] });
    expect(parked.items.get('3')?.state).toBe('queued');
    say(parked, '2', 'run');
    expect(parked.items.get('2')).toMatchObject({ state: 'parked', reason: 'dependency_failed' });

    const working = worldOf(2);
    working.open('shop-1');
    working.settle();
    set(working, '1', { dependsOn: ['2'] });
    set(working, '2', { dependsOn: ['1'] });
    // What is at work waits for nothing.
    expect(working.items.get('2')?.state).toBe('queued');
    endAll(working);
    say(working, '1', 'run');
    expect(working.items.get('1')).toMatchObject({ state: 'parked', reason: 'dependency_failed' });

    const anew = worldOf(4);
    for (const id of ['2', '3']) say(anew, id, 'pause');
    anew.tellItem('2', { kind: 'set', ...ANN, changes: { dependsOn: ['3'] } });
    anew.tellItem('3', { kind: 'set', ...ANN, changes: { dependsOn: ['2'] } });
    anew.terminateBacklog();
    anew.settle();
    for (const [id, { state }] of anew.items) if (state === 'queued') expect([id, state]).not.toEqual(['3', 'parked']);
    expect([...anew.items.values()].filter(({ reason }) => reason === 'dependency_failed')).toHaveLength(1);
  });

  it('goes on without the task that was lost, and waits for those that were said since', () => {
    const world = worldOf(4);
    set(world, '2', { dependsOn: ['3', '4'] });
    world.tellItem('3', { kind: 'reject', ...ANN });
    world.settle();
    expect(world.items.get('2')).toMatchObject({ state: 'parked', lost: '3' });
    say(world, '2', 'run');
    expect(world.items.get('2')).toMatchObject({ state: 'queued', needs: ['4'], lost: null });

    world.tellItem('4', { kind: 'reject', ...ANN });
    world.settle();
    set(world, '2', { dependsOn: ['1'] });
    say(world, '2', 'run');
    expect(waitsIn(world)['2']).toEqual({ kind: 'dependency', holder: '1' });
  });

  it.each(['stop', 'done', 'pause'] as const)('that is being started hears of its %s once it is there', (kind) => {
    const world = new BacklogWorld();
    world.losesWords = true;
    world.create('k', [{ task: 'one' }]);
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1']);
    world.tellItem('1', { kind, ...ANN });
    world.losesWords = false;
    expect(world.openRuns()).toEqual(['shop-1']);
    world.open('shop-1');
    world.settle();

    const run = world.runs.get('shop-1');
    expect(kind === 'pause' ? run?.wait : run?.state).toBe(kind === 'pause' ? 'paused' : 'closed');
    expect(viewOf(world.backlog).slots).toBe(0);
  });

  it('waits for no other in a circle, whatever is said of any and in whatever order it arrives', () => {
    const links = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 2 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(links, fc.array(fc.nat({ max: 60 }), { maxLength: 40 }), (said, order) => {
        const world = worldOf(5);
        for (const [task, needs] of said) {
          const item = world.items.get(`${task + 1}`);
          if (item !== undefined && needs.length === 0 && item.state !== 'closed') flip(world, item);
          const dependsOn = needs.filter((one) => one !== task).map((one) => `${one + 1}`);
          if (item !== undefined && item.state !== 'closed')
            world.tellItem(`${task + 1}`, { kind: 'set', ...ANN, changes: { dependsOn } });
        }
        for (const at of order) world.deliver(at);
        for (let rounds = 0; rounds < 40; rounds += 1) {
          world.settle();
          for (const run of world.openRuns()) world.end(run, 'no_changes');
          for (const [id, { state }] of world.items)
            if (state === 'parked') world.tellItem(id, { kind: 'done', ...ANN });
        }

        expect([...world.items.values()].filter(({ state }) => state !== 'closed')).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a backlog', () => {
  it('that is stopped starts nothing any more, and parks what is at work', () => {
    const world = worldOf(3, { maxConcurrent: 2 });
    world.tellBacklog({ kind: 'abort', by: 'ann' });
    world.settle();

    expect(world.openRuns()).toEqual([]);
    expect([...world.items.values()].map(({ state, reason }) => [state, reason])).toEqual([
      ['parked', 'stopped'],
      ['parked', 'stopped'],
      ['queued', null],
    ]);
    expect(viewOf(world.backlog)).toMatchObject({ isPaused: true, slots: 0 });
  });

  it('goes by what somebody set beside its config, also where that is read again, until it is set anew', () => {
    const world = worldOf(4);
    const setAll = (changes: Parameters<typeof readBacklogMessage>[1]) => {
      const reading = readBacklogMessage('set', changes);
      if (reading.kind === 'ok') world.tellBacklog(reading.message);
      world.settle();
    };
    setAll({ maxConcurrent: 3 });
    expect(world.openRuns()).toHaveLength(3);
    world.create('more', [{ task: 'five' }]);
    world.settle();
    expect(viewOf(world.backlog)).toMatchObject({ terms: { maxConcurrent: 3 }, set: { maxConcurrent: 3 } });
    setAll({ maxConcurrent: null, order: 'fair' });

    expect(viewOf(world.backlog)).toMatchObject({ terms: { maxConcurrent: 1, order: 'fair' }, set: { order: 'fair' } });
    expect(viewOf(world.backlog).set).toEqual({ order: 'fair' });
  });
});

describe('what is set', () => {
  it.each([
    [{}, 'set must say at least one of priority, dependsOn, files'],
    [{ priority: Number.NaN }, 'set.priority must be an integer'],
    [{ priority: '5' }, 'set.priority must be an integer'],
    [{ files: ['../x'] }, 'set.files names "../x"'],
    [{ files: '/etc' }, 'set.files must be a list'],
    [{ dependsOn: ['#1'] }, 'set.dependsOn names "#1"'],
    [{ dependsOn: ['a/b'] }, 'set.dependsOn names "a/b"'],
    [{ title: 'x' }, '"title" is not a field of set'],
    [{ dependsOn: ['007'] }, 'set.dependsOn names "007"'],
    [[], 'cannot be read'],
    [null, 'set must say at least one'],
  ])('of a task is refused: %j', (argument, why) => {
    expect(readItemMessage('set', argument)).toMatchObject({ kind: 'bad', why: expect.stringContaining(why) });
  });

  it.each([
    [{}, 'set must say at least one of maxConcurrent, order, conflicts'],
    [{ maxConcurrent: 0 }, 'from 1 to 16'],
    [{ maxConcurrent: 17 }, 'from 1 to 16'],
    [{ maxConcurrent: 1.5 }, 'from 1 to 16'],
    [{ order: 'random' }, 'set.order must be fifo, priority, fair'],
    [{ conflicts: 'ignore' }, 'set.conflicts must be warn or block'],
    [{ gate: 'none' }, '"gate" is not a field of set'],
  ])('of a backlog is refused: %j', (argument, why) => {
    expect(readBacklogMessage('set', argument)).toMatchObject({ kind: 'bad', why: expect.stringContaining(why) });
  });
});

describe('what a stranger tells of a task', () => {
  const ROW = {
    id: '1',
    version: 5,
    state: 'queued',
    slot: false,
    since: 1,
    runs: 0,
    priority: 0,
    needs: [],
    files: [],
    linked: 0,
  };

  it.each([{ version: 1e300 }, { version: 1.5 }, { since: Number.POSITIVE_INFINITY }, { runs: -1 }])(
    'is not heard where it is no count: %j',
    (over) => {
      expect(readBacklogMessage('itemChanged', { ...ROW, ...over })).toMatchObject({ kind: 'bad' });
    },
  );

  it('is heard without what is no task', () => {
    expect(readBacklogMessage('itemChanged', { ...ROW, needs: ['2', 'abc', '007'], linked: 1e300 })).toMatchObject({
      kind: 'ok',
      message: { row: { needs: ['2'], linked: 0 } },
    });
    expect(readItemMessage('report', { known: 1e300 })).toMatchObject({ message: { known: 0 } });
    expect(readItemMessage('slotGranted', { version: 1e300, at: 1 })).toMatchObject({ kind: 'bad' });
  });
});
