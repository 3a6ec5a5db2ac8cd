/** What a forge merged is told as what it is: of another head than ours, or not to be fetched yet. What it does not know is not asked for. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { readLanded } from '../../../activities/unit/landed-mark.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
afterEach(() => {
  world.forge.close();
  removeFolders();
});

describe.each(['merge', 'squash'] as const)('a %s', (method) => {
  const open = async () => {
    world = await openForgeWorld({ landing: { method } });
    await world.ensure();
    world.forge.state.protect('main');
    return world.forge.state;
  };

  it('that a person did of another head, put in the place of ours, is no landing of ours', async () => {
    const state = await open();
    state.git('update-ref', 'refs/heads/other', world.base);
    const theirs = state.commit('other', 'e.txt', 'another change\n');
    state.git('update-ref', 'refs/heads/sluice/run-1', theirs);
    const commit = state.merge(state.pull(1), 'a person', { method });

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit } });
    expect(readLanded(world.run.stateDir)?.isThere ?? false).toBe(false);
  });

  it('that cannot be fetched yet is not told as green', async () => {
    const state = await open();
    const act = () => void state.commit('main', 'd.txt', 'theirs\n');
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act });
    world.forge.faults.arm('git upload-pack refs', { kind: 'error' }, 1, 1);

    expect(await world.land()).not.toMatchObject({ landed: { kind: 'merged' } });
    expect(await world.land()).toMatchObject({
      landed: { kind: 'merged', commit: state.tip('main'), uncheckedOn: expect.any(String) },
    });
  });
});

it('a merge of which the forge does not know yet whether it can be is not asked for, and holds what lands there', async () => {
  world = await openForgeWorld();
  await world.ensure();
  const { state, faults } = world.forge;
  state.protect('main');
  state.mergeability = () => 'UNKNOWN';

  const held = { reason: 'forge', why: expect.stringContaining('has not worked out yet') };
  expect(await world.land()).toMatchObject({ landed: { kind: 'moved' }, base: { held, until: null } });
  expect(faults.came('PUT pulls/N/merge')).toBe(0);
});

it.each([
  ['one commit', 1, 'while it is asked to'],
  ['several commits', 2, 'while it is asked to'],
  ['several commits', 2, 'before anybody looked'],
] as const)(
  'a rebase of %s (%i) onto a base that moved, which the forge did %s, is checked against that base, and not against one of its own commits or an older one',
  async (_, count, when) => {
    world = await openForgeWorld({ landing: { method: 'rebase' } });
    if (count > 1) await world.change({ 'b.txt': 'changed more\n' });
    await world.ensure();
    const { state, faults } = world.forge;
    state.protect('main');
    const move = () => void state.commit('main', 'd.txt', 'theirs\n');
    if (when === 'while it is asked to') faults.arm('PUT pulls/N/merge', { kind: 'before', act: move });
    else {
      move();
      state.merge(state.pull(1), 'ann', { method: 'rebase' });
    }

    const { landed } = await world.land();
    expect(state.git('rev-list', '--count', `${world.base}..main`)).toBe(String(count + 1));
    const uncheckedOn = state.git('rev-parse', `main~${count}`);
    expect(landed).toEqual({ kind: 'merged', commit: state.git('rev-parse', 'main'), uncheckedOn });
  },
);
