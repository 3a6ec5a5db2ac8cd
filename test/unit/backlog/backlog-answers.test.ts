/** What a backlog answers whoever hands tasks in, and how often it asks those of which it knows. */
import { describe, expect, it, jest } from '@jest/globals';
import { answerTo } from '../../../workflows/backlog/admission.js';
import { BACKLOG_RULES } from '../../../workflows/backlog/backlog-table.js';
import { viewOf } from '../../../workflows/backlog/backlog-view.js';
import { Rows } from '../../../workflows/backlog/rows.js';
import { BacklogWorld } from '../../support/backlog-world.js';

describe('a backlog', () => {
  it('answers a create whose items were started in the moment in which the next was admitted', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }]);
    world.deliver();
    world.create('l', [{ task: 'two' }]);
    world.settle();

    expect(['k', 'l'].map((key) => answerTo(world.backlog, { key })?.verdicts)).toEqual([
      [{ kind: 'created', id: '1', title: 'one' }],
      [{ kind: 'created', id: '2', title: 'two' }],
    ]);
    for (const key of ['m', 'n']) {
      world.create(key, [{ task: key }]);
      world.settle();
    }
    expect(world.backlog.answers.map(({ key }) => key)).toEqual(['m', 'n']);
  });

  it('refuses other tasks under the key of those that wait to be taken in, and takes the same twice for one', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    const judged = (...texts: readonly string[]) => {
      const other = new BacklogWorld();
      other.create(
        'k',
        texts.map((task) => ({ task })),
      );
      const [create] = other.backlog.creates;
      if (create === undefined) throw new Error('nothing waits');
      return BACKLOG_RULES[0]?.judge(world.backlog, { ...create, kind: 'create' });
    };

    expect(judged('one', 'two')).toMatchObject({ kind: 'accepted' });
    for (const texts of [['one', 'three'], ['one'], ['one', 'two', 'three']])
      expect(judged(...texts)).toMatchObject({ kind: 'refused', why: expect.stringContaining('other tasks') });
  });

  it('refuses only for now what it has no room for, since others wait to be taken in', () => {
    const world = new BacklogWorld();
    const tasks = Array.from({ length: 200 }, (_, n) => ({ task: `task ${n}` }));
    world.create('k', tasks);
    const [create] = world.backlog.creates;
    if (create === undefined) throw new Error('nothing waits');

    expect(BACKLOG_RULES[0]?.judge(world.backlog, { ...create, key: 'l', kind: 'create' })).toMatchObject({
      kind: 'refused',
      isBusy: true,
    });
  });

  it('takes in what came for other hosts while one is away, tells whose task is only kept, and asks that one again in time', () => {
    const world = new BacklogWorld();
    world.away.add('far');
    world.create('f', [{ task: 'far away' }], { host: 'far' });
    world.create('g', [{ task: 'near' }]);
    const saidOf = (key: string) => answerTo(world.backlog, { key });
    expect([saidOf('f'), saidOf('g')]).toEqual([null, null]);
    world.settle();

    expect(saidOf('f')).toEqual({ verdicts: null });
    expect(saidOf('g')).toEqual({ verdicts: [{ kind: 'created', id: '1', title: 'near' }] });
    world.create('h', [{ task: 'nearer' }]);
    world.create('i', [{ task: 'farther' }], { host: 'far' });
    world.settle();
    expect(saidOf('h')).toEqual({ verdicts: [{ kind: 'created', id: '2', title: 'nearer' }] });
    expect([viewOf(world.backlog).waiting, viewOf(world.backlog).awaySince === null]).toEqual([2, false]);
    expect(world.asked).toEqual(['far', 'h1', 'h1']);
    world.wait(15_000);
    world.settle();
    expect(world.asked).toEqual(['far', 'h1', 'h1', 'far']);
    world.away.delete('far');
    world.handOver();
    world.wait(30_000);
    world.settle();
    expect(saidOf('f')).toEqual({ verdicts: [{ kind: 'created', id: '3', title: 'far away' }] });
    expect(saidOf('i')).toEqual({ verdicts: [{ kind: 'created', id: '4', title: 'farther' }] });
    expect([viewOf(world.backlog).waiting, viewOf(world.backlog).awaySince]).toEqual([0, null]);
  });

  it('asks each of two hosts that are away in its own time', () => {
    const world = new BacklogWorld();
    for (const host of ['far', 'farther']) {
      world.away.add(host);
      world.create(host, [{ task: host }], { host });
    }
    world.settle();
    for (let steps = 0; steps < 4; steps += 1) {
      world.wait(15_000);
      world.settle();
    }
    expect(world.asked).toEqual(['far', 'farther', 'far', 'farther', 'far', 'farther']);
  });

  it('asks a task ever more seldom while it says nothing new and another one waits for its slot', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    world.settle();
    const versions = new Set<number | undefined>();
    for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
      world.wait(60_000);
      world.settle();
      versions.add(world.items.get('1')?.version);
    }

    // After one minute, two, four and so on, up to six hours.
    expect(versions.size).toBeGreaterThan(8);
    expect(versions.size).toBeLessThan(15);
  });

  it('asks a task that waits for a person no oftener for what another one says while a third waits for a slot', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two' }, { task: 'three' }]);
    world.settle();
    world.open('shop-1');
    world.settle();
    world.say('shop-1', 'approval');
    world.settle();
    world.open('shop-2');
    world.settle();
    const versions = { 1: new Set<number | undefined>(), 2: new Set<number | undefined>() };
    for (let minutes = 0; minutes < 24 * 60; minutes += 1) {
      if (minutes % 10 === 0)
        world.tellItem('2', { kind: 'set', by: 'ann', note: null, changes: { priority: minutes } });
      world.wait(60_000);
      world.settle();
      for (const id of [1, 2] as const) versions[id].add(world.items.get(`${id}`)?.version);
    }

    expect(world.items.get('3')?.state).toBe('queued');
    expect(versions[1].size).toBeGreaterThan(8);
    expect(versions[1].size).toBeLessThan(15);
    // Beside what it says of itself.
    expect(versions[2].size).toBeGreaterThan(2 * 144);
  });

  it('looks for all that is due when its timer rings, and waits for nothing that is past', () => {
    const world = new BacklogWorld();
    world.away.add('far');
    world.create('k', [{ task: 'one' }, { task: 'two' }]);
    world.create('f', [{ task: 'far away' }], { host: 'far' });
    world.settle();
    const [rules] = BACKLOG_RULES;
    const now = Date.now() + 3_600_000;
    const silent = { ...world.backlog, unheard: ['9'], seek: { atMs: now - 1, everyMs: 60_000 } };
    const stepped = rules?.after(silent, { kind: 'tick' }, now);

    const kinds = new Set(stepped?.errands.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['admit', 'ask', 'findOpen']);
    expect(stepped === undefined ? null : rules?.wakesAt(stepped.state)).toBeGreaterThan(now);
  });

  it('asks all that are due without copying its rows for each of them', () => {
    const world = new BacklogWorld();
    world.create('k', [{ task: 'one' }, { task: 'two', dependsOn: ['1'] }, { task: 'three', dependsOn: ['2'] }]);
    world.settle();
    const replaced = jest.spyOn(Rows.prototype, 'with');
    const stepped = BACKLOG_RULES[0]?.after(world.backlog, { kind: 'tick' }, Date.now() + 3_600_000);
    expect(replaced).not.toHaveBeenCalled();
    replaced.mockRestore();
    expect(stepped?.errands.filter(({ kind }) => kind === 'ask').length).toBeGreaterThan(1);
  });
});
