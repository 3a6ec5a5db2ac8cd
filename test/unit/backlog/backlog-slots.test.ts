/** Who holds a slot of a backlog, and for how long. Source: S-58, V-132. */
import { describe, expect, it } from '@jest/globals';
import { FREES_SLOT, RUN_WAITS } from '../../../protocol/run/run-word.js';
import { viewOf } from '../../../workflows/backlog/backlog-view.js';
import { viewOf as viewOfItem } from '../../../workflows/item/item-view.js';
import { BacklogWorld } from '../../support/backlog-world.js';

function worldOf(...terms: ConstructorParameters<typeof BacklogWorld>): BacklogWorld {
  const world = new BacklogWorld(...terms);
  world.create('k', [
    { task: 'one', files: ['src/a.ts'] },
    { task: 'two', files: ['src/b.ts'] },
    { task: 'three', files: ['src/**'] },
  ]);
  world.settle();
  world.open('shop-1');
  world.settle();
  return world;
}

function say(world: BacklogWorld, runId: string, word: Parameters<BacklogWorld['say']>[1]): void {
  world.say(runId, word);
  world.settle();
}

function seen(world: BacklogWorld) {
  const { slots, entries } = viewOf(world.backlog);
  return { slots, waits: Object.fromEntries(entries.map(({ id, waitsFor }) => [id, waitsFor?.kind ?? null])) };
}

describe('a slot of a backlog', () => {
  it.each(RUN_WAITS.filter((wait) => FREES_SLOT.includes(wait)))('is free while its run waits: %s', (wait) => {
    const world = worldOf();
    expect(world.openRuns()).toEqual(['shop-1']);

    say(world, 'shop-1', wait);

    expect(world.openRuns()).toEqual(['shop-1', 'shop-2']);
    expect(seen(world)).toEqual({ slots: 1, waits: { '1': null, '2': null, '3': 'slot' } });
    const item = world.items.get('1');
    expect(item === undefined ? null : viewOfItem(item).waits).toBe('person');
  });

  it('is kept at a usage limit, which whoever started instead would meet too', () => {
    const world = worldOf();
    say(world, 'shop-1', 'usage_limit');

    expect(world.openRuns()).toEqual(['shop-1']);
    const item = world.items.get('1');
    expect(item === undefined ? null : viewOfItem(item).waits).toBe('account');
  });

  it('is free again where the landing for which it is kept is gone', () => {
    const world = worldOf({ slotUntil: 'landed' });
    world.lands = true;
    world.hasLanding = false;
    world.end('shop-1');
    world.settle();
    expect(seen(world).slots).toBe(1);
    world.wait(11 * 60_000);
    world.settle();

    expect(world.openRuns()).toEqual(['shop-2']);
  });

  it('is not given away by a look that is older than the word of the run', () => {
    const world = worldOf();
    say(world, 'shop-1', 'approval');
    const run = { kind: 'open', owner: 'item:shop/1', branch: 'sluice/shop-1', wait: 'approval' } as const;
    say(world, 'shop-1', 'working');
    world.tellItem('1', { kind: 'looked', runId: 'shop-1', word: 'approval', run });
    world.settle();

    expect(world.items.get('1')?.run?.word).toBe('working');
  });

  it('is taken again at once by a run that goes on, and nothing starts until as many as may are at work', () => {
    const world = worldOf();
    say(world, 'shop-1', 'approval');

    say(world, 'shop-1', 'working');
    expect(seen(world).slots).toBe(2);
    world.end('shop-2');
    world.settle();
    expect(world.openRuns()).toEqual(['shop-1']);
    world.end('shop-1');
    world.settle();

    expect(world.openRuns()).toEqual(['shop-3']);
  });

  it('may be free, and the files of the run that waits are not', () => {
    const world = worldOf({ conflicts: 'block' });
    say(world, 'shop-1', 'answer');
    world.end('shop-2');
    world.settle();

    expect(world.openRuns()).toEqual(['shop-1']);
    expect(seen(world)).toEqual({ slots: 0, waits: { '1': null, '2': null, '3': 'files' } });
  });

  it('is free while what its agent made is judged, where the backlog has it so', () => {
    const held = worldOf();
    say(held, 'shop-1', 'reviewing');
    expect(held.openRuns()).toEqual(['shop-1']);

    const free = worldOf({ slotUntil: 'reviewing' });
    say(free, 'shop-1', 'reviewing');
    expect(free.openRuns()).toEqual(['shop-1', 'shop-2']);
    say(free, 'shop-1', 'working');

    expect(seen(free).slots).toBe(2);
  });

  it('is kept until the change is ready or merged, where the backlog has it so and the engine is at it', () => {
    for (const until of ['ready', 'merged', 'waiting'] as const) {
      const world = worldOf({ slotUntil: 'landed' });
      world.lands = true;
      world.end('shop-1');
      world.settle();
      expect(world.openRuns()).toEqual([]);
      expect(seen(world)).toMatchObject({ slots: 1, waits: { '2': 'slot' } });
      world.tellItem('1', { kind: 'landingChanged', runId: 'shop-1', state: until });
      world.settle();

      expect(world.openRuns()).toEqual(['shop-2']);
    }
  });

  it('is free once the run has ended whose landing nobody asked for', () => {
    const world = worldOf({ slotUntil: 'landed' });
    world.end('shop-1');
    world.settle();

    expect(world.openRuns()).toEqual(['shop-2']);
  });

  it('is free where an item that was reset finds its run waiting', () => {
    const world = worldOf();
    const before = world.items.get('1');
    say(world, 'shop-1', 'paused');
    world.end('shop-2');
    world.settle();
    // All that it heard since it was started is gone.
    if (before !== undefined)
      world.resetItem('1', { ...before, state: 'queued', run: { runId: 'shop-1', word: null } });
    world.wait(60 * 60_000);
    world.settle();

    expect(world.items.get('1')).toMatchObject({ state: 'running', run: { word: 'paused' } });
    expect(world.openRuns()).toEqual(['shop-1', 'shop-3']);
  });
});
