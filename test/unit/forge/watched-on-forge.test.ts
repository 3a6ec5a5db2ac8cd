/** What a look at a base of a forge finds of a head that may have landed: by its pull request, where git cannot tell. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { readLanded } from '../../../activities/unit/landed-mark.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
afterEach(() => {
  world.forge.close();
  removeFolders();
});

async function look() {
  const { repoKey, runId } = world.about;
  const watched = { id: 'e', runId, repoKey, pull: 1, anyway: false, head: null, seenOn: null };
  return world.lookAtBase({ watched: [watched] });
}

async function open() {
  world = await openForgeWorld({ landing: { method: 'squash' } });
  await world.ensure();
  return world.forge.state.pull(1);
}

describe('a head whose pull request the forge squashed', () => {
  it.each([
    ['nothing else', () => undefined],
    ['what others made of it', () => void world.forge.state.commit('main', 'b.txt', 'theirs\n')],
  ])('is told as merged, with %s on the base', async (_what, change) => {
    const pull = await open();
    const commit = world.forge.state.merge(pull, 'a person', { method: 'squash' });
    change();

    expect((await look()).watched).toEqual([{ id: 'e', landed: { kind: 'merged', commit } }]);
    expect(readLanded(world.run.stateDir)).toMatchObject({ head: world.head, commit, isThere: true });
  });

  it('is told as merged, and is no landing of ours, where somebody put another head in its place', async () => {
    const pull = await open();
    const { state } = world.forge;
    state.git('update-ref', 'refs/heads/other', world.base);
    state.git('update-ref', 'refs/heads/sluice/run-1', state.commit('other', 'e.txt', 'another change\n'));
    const commit = state.merge(pull, 'a person', { method: 'squash' });

    expect((await look()).watched).toEqual([{ id: 'e', landed: { kind: 'merged', commit } }]);
    expect(readLanded(world.run.stateDir)?.isThere ?? false).toBe(false);
  });

  it('is told as nothing where its pull request cannot be asked, and the base as not seen', async () => {
    const pull = await open();
    world.forge.state.merge(pull, 'a person', { method: 'squash' });
    world.forge.faults.arm('PullState', { kind: 'limited', by: 'graphql' });

    expect(await look()).toMatchObject({ base: { held: { reason: 'forge' } }, watched: [] });
  });
});

it.each([
  ['is open', () => undefined],
  ['was closed', () => world.forge.state.close(world.forge.state.pull(1))],
])('a head whose pull request %s is not found on the base', async (_what, change) => {
  await open();
  change();

  expect(await look()).toMatchObject({ base: { at: world.base }, watched: [] });
});
