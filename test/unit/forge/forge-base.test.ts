/** The base of a forge: fetched without a person's checkout, and moved by its old value alone. */
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../support/forge/faults.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
beforeEach(async () => {
  world = await openForgeWorld();
});
afterEach(() => world.forge.close());

const fetchBase = (branch = 'main') => world.act((forge) => forge.fetchBase({ ...world.about, branch }));
const push = (from: string, to: string) =>
  world.act((forge) => forge.pushBase({ ...world.about, branch: 'main', from, to }));
const git = (...args: readonly string[]) =>
  execFileSync('git', [...args], { cwd: world.run.record.repository.root, encoding: 'utf8' }).trim();

describe('the base of the forge', () => {
  it('is fetched as it is there, kept from being pruned, and no branch of a person moves', async () => {
    const before = git('for-each-ref', 'refs/heads', 'refs/remotes');
    const theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n');

    expect(await fetchBase()).toEqual({ kind: 'fetched', at: theirs });
    git('gc', '--quiet', '--prune=now');

    expect(git('cat-file', '-t', theirs)).toBe('commit');
    expect(git('for-each-ref', 'refs/heads', 'refs/remotes')).toBe(before);
  });

  it('that is not there is gone', async () => {
    expect(await fetchBase('nothing')).toMatchObject({ kind: 'gone' });
  });

  it('moves forward once, and is where it was moved to', async () => {
    expect(await push(world.base, world.head)).toEqual({ kind: 'pushed' });
    expect(await push(world.base, world.head)).toEqual({ kind: 'pushed' });
    expect(world.forge.state.tip('main')).toBe(world.head);
  });

  it('that somebody moved is left alone', async () => {
    const theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n');

    expect(await push(world.base, world.head)).toEqual({ kind: 'moved_by_other', at: theirs });
    expect(world.forge.state.tip('main')).toBe(theirs);
  });

  it('that somebody moves at the last moment is left alone', async () => {
    let theirs = '';
    const act = () => (theirs = world.forge.state.commit('main', 'd.txt', 'theirs\n'));
    world.forge.faults.arm('git receive-pack', { kind: 'before', act });

    expect(await push(world.base, world.head)).toEqual({ kind: 'moved_by_other', at: theirs });
    expect(world.forge.state.tip('main')).toBe(theirs);
  });

  it('never moves backwards or aside', async () => {
    expect(await push(world.head, world.base)).toMatchObject({ kind: 'refused' });
    expect(world.forge.faults.came('git receive-pack')).toBe(0);
  });

  it('that the forge protects says so', async () => {
    world.forge.state.protect('main');

    expect(await push(world.base, world.head)).toMatchObject({ kind: 'refused' });
    expect(world.forge.state.tip('main')).toBe(world.base);
  });

  it.each<[Fault, string]>([
    [{ kind: 'error' }, 'unreachable'],
    [{ kind: 'error_after' }, 'pushed'],
    [{ kind: 'dropped' }, 'pushed'],
    [{ kind: 'status', status: 403, message: '' }, 'refused'],
  ])('with the fault %j is told by where it stands: %s', async (fault, kind) => {
    world.forge.faults.arm('git receive-pack', fault);

    expect(await push(world.base, world.head)).toMatchObject({ kind });
    expect(await push(world.base, world.head)).toEqual({ kind: 'pushed' });
  });

  it('is not followed to another place', async () => {
    world.forge.faults.arm('git upload-pack refs', {
      ...{ kind: 'status', status: 301, message: 'http://127.0.0.1:1/elsewhere.git/info/refs' },
    });

    expect(await fetchBase()).toMatchObject({ kind: 'moved' });
  });
});
