/** A pull request that the forge's own queue has is taken back, however often that is asked for. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readLanded } from '../../../activities/unit/landed-mark.js';
import type { Fault } from '../../support/forge/faults.js';
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

  it('that was merged meanwhile says so, and its host notes it', async () => {
    const commit = world.forge.state.merge(world.forge.state.pull(1), 'the queue', { method: 'squash' });

    expect(await leave()).toEqual({ kind: 'merged', commit, base: 'main' });
    expect(readLanded(world.run.stateDir)).toMatchObject({ head: world.head, commit, isThere: true });
  });

  it('stays there where the forge takes no more requests, which is said', async () => {
    world.forge.faults.arm('Dequeue', { kind: 'limited', by: 'graphql' });

    expect(await leave()).toMatchObject({ kind: 'limited' });
    expect(world.forge.state.pull(1).isQueued).toBe(true);
  });

  it.each<[string, Fault]>([
    ['leads to a login', { kind: 'status', status: 302, message: 'Found' }],
    ['is the page of somebody else', { kind: 'status', status: 200, message: 'We are back soon.' }],
  ])('stays there where the answer %s, which is said', async (_what, fault) => {
    world.forge.faults.arm('Dequeue', fault);

    expect(await leave()).toEqual({ kind: 'unreachable', why: 'the forge answered what is no answer to GraphQL' });
    expect(world.forge.state.pull(1).isQueued).toBe(true);
  });

  it('stays there where the forge only says that it is done, which is seen', async () => {
    world.forge.faults.arm('Dequeue', { kind: 'stale', pulls: world.forge.state.pulls });

    expect(await leave()).toMatchObject({ kind: 'unreachable', why: expect.stringContaining('shows nothing of it') });
    expect(world.forge.state.pull(1).isQueued).toBe(true);
  });

  it('has left it where the forge did it and says that it failed', async () => {
    world.forge.faults.arm('Dequeue', { kind: 'error_after' });

    expect([await leave(), world.forge.state.pull(1).isQueued]).toEqual([{ kind: 'left' }, false]);
  });
});
