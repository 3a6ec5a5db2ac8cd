/** What a backlog answers whoever hands tasks in, and how often it asks those of which it knows. */
import { describe, expect, it } from '@jest/globals';
import { answerTo } from '../../../workflows/backlog/admission.js';
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
});
