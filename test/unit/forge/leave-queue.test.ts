/** A pull request that the forge's own queue has is taken back, however often that is asked for. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

afterAll(removeFolders);

let world: ForgeWorld;
beforeEach(async () => {
  world = await openForgeWorld();
  world.forge.state.rules.hasQueue = true;
  await world.ensure();
  world.forge.state.pull(1).isQueued = true;
});
afterEach(() => world.forge.close());

const leave = () => world.act(({ leaveQueue }) => leaveQueue({ ...world.about, number: 1 }));

describe('a pull request in the queue of its forge', () => {
  it('is taken out of it once', async () => {
    expect([await leave(), await leave()]).toEqual([{ kind: 'left' }, { kind: 'left' }]);
    expect([world.forge.state.pull(1).isQueued, world.forge.faults.done('Dequeue')]).toEqual([false, 1]);
  });

  it('stays there where the forge takes no more requests, which is said', async () => {
    world.forge.faults.arm('Dequeue', { kind: 'limited', by: 'graphql' });

    expect(await leave()).toMatchObject({ kind: 'limited' });
    expect(world.forge.state.pull(1).isQueued).toBe(true);
  });
});
