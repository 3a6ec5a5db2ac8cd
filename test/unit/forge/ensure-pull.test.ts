/** One pull request a run, by real octokit and real git, against a forge that loses answers, lists what was, and does things twice. */
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EnsurePullInput } from '../../../protocol/actors/forge.js';
import type { Fault } from '../../support/forge/faults.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

afterAll(removeFolders);

let world: ForgeWorld;
beforeEach(async () => {
  world = await openForgeWorld({ labels: ['sluice'] });
});
afterEach(() => world.forge.close());

const ensure = (given: Partial<EnsurePullInput> = {}) => world.ensure({ isDraft: true, ...given });

describe('the pull request of a run', () => {
  it('is pushed, made as a draft, labelled, and tells of its run', async () => {
    const answer = await ensure();

    expect(answer).toMatchObject({ kind: 'pull', number: 1, head: world.head, state: 'open', isDraft: true });
    const [pull] = world.forge.state.pulls;
    expect(pull).toMatchObject({ title: 'x', labels: ['sluice'], headBranch: 'sluice/run-1' });
    expect(pull?.body).toContain('added b.txt');
    expect(pull?.body).toContain('`model-1`');
    expect(world.forge.state.tip('sluice/run-1')).toBe(world.head);
  });

  it('is found by the next that asks, and written where something differs alone', async () => {
    await ensure();
    const pull = world.forge.state.pull(1);
    pull.body = `A person says more.\n\n${pull.body}\nAnd this.`;
    pull.title = 'A better title';
    const before = pull.body;

    expect(await ensure({ pushed: world.head })).toMatchObject({ kind: 'pull', number: 1 });

    expect(pull).toMatchObject({ body: before, title: 'A better title' });
    expect(world.forge.faults.done('PATCH pulls/N')).toBe(0);
  });

  it('is made ready', async () => {
    await ensure();
    const asked = { number: 1, pushed: world.head, isDraft: false, wasDraft: true };

    for (let times = 0; times < 2; times += 1) expect(await ensure(asked)).toMatchObject({ isDraft: false });
    expect([world.forge.state.pull(1).isDraft, world.forge.faults.done('MarkReady')]).toEqual([false, 1]);
  });

  it('is ready with a label where the forge knows no drafts', async () => {
    world.forge.state.takesDrafts = false;

    expect(await ensure()).toMatchObject({ kind: 'pull', number: 1, isDraft: false });
    expect(world.forge.state.pull(1).labels).toEqual(['sluice', 'draft']);
  });

  it('is waited for where the forge knows no drafts and takes no more requests for now', async () => {
    world.forge.state.takesDrafts = false;
    world.forge.faults.arm('POST pulls', { kind: 'limited', by: 'retry-after' }, 1, 1);

    expect(await ensure()).toMatchObject({ kind: 'limited', pushed: world.head });
    expect(await ensure()).toMatchObject({ kind: 'pull', number: 1, isDraft: false });
  });

  it('follows its head to what a repair made of it', async () => {
    await ensure();
    const first = world.head;
    const head = await world.change({ 'b.txt': 'mended\n' });

    expect(await ensure({ number: 1, pushed: first })).toMatchObject({ kind: 'pull', head });
    expect(world.forge.state.tip('sluice/run-1')).toBe(head);
  });
});

describe('a landing that pushed nothing yet', () => {
  it('takes the branch on from what a former run of the task pushed there, whose commit its head contains', async () => {
    await ensure();
    const head = await world.change({ 'b.txt': 'more\n' });

    expect(await ensure()).toMatchObject({ kind: 'pull', number: 1, head });
    expect(world.forge.state.tip('sluice/run-1')).toBe(head);
  });
});

describe('a head that has landed elsewhere', () => {
  it('is shown by another pull request, since that one says nothing of this base', async () => {
    await ensure({ isDraft: false });
    world.forge.state.git('branch', 'release', 'main');
    world.forge.state.merge(world.forge.state.pull(1), 'a person');

    expect(await ensure({ pushed: world.head })).toMatchObject({ kind: 'pull', number: 1, state: 'merged' });
    expect(await ensure({ pushed: world.head, base: 'release' })).toMatchObject({ number: 2, state: 'open' });
    expect(world.forge.state.pull(2).base).toBe('release');
  });
});

describe('what a person did', () => {
  it('stays: a push to the branch', async () => {
    await ensure();
    const theirs = world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n');

    expect(await ensure({ number: 1, pushed: world.head })).toEqual({ kind: 'pushed_by_other', at: theirs });
    expect(world.forge.state.tip('sluice/run-1')).toBe(theirs);
  });

  it('stays: a draft that is ready now, and what is ready that is a draft now', async () => {
    await ensure();
    const pull = world.forge.state.pull(1);
    pull.isDraft = false;
    const asked = { number: 1, pushed: world.head };
    for (const wasDraft of [true, false])
      expect(await ensure({ ...asked, isDraft: true, wasDraft })).toMatchObject({ isDraft: false });
    expect(pull).toMatchObject({ isDraft: false, labels: ['sluice'] });

    pull.isDraft = true;
    expect(await ensure({ ...asked, isDraft: false, wasDraft: false })).toMatchObject({ isDraft: false });
    expect([pull.isDraft, world.forge.faults.came('MarkReady')]).toEqual([true, 0]);
  });

  it.each<[string, () => string]>([
    ['pushes to it', () => world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n')],
    [
      'takes it back to where it began',
      () => (world.forge.state.git('update-ref', 'refs/heads/sluice/run-1', world.base), world.base),
    ],
  ])('stays: the branch of who %s between our look at it and our push, by the lease alone', async (_what, move) => {
    await ensure();
    const first = world.head;
    const head = await world.change({ 'b.txt': 'mended\n' });
    let theirs = '';
    world.forge.faults.arm('git receive-pack refs', { kind: 'before', act: () => (theirs = move()) });

    expect(await ensure({ number: 1, pushed: first })).toEqual({ kind: 'pushed_by_other', at: theirs });
    expect([world.forge.state.tip('sluice/run-1'), theirs]).not.toContain(head);
    expect(world.forge.state.tip('sluice/run-1')).toBe(theirs);
  });

  it('lands, once a person agreed to it, and no other commit than that one', async () => {
    await ensure({ isDraft: false });
    const theirs = world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n');
    const agreed = { head: theirs, pushed: theirs, number: 1, isDraft: false };
    expect(await ensure(agreed)).toMatchObject({ kind: 'pull', number: 1, head: theirs });
    const early = world.forge.state.commit('sluice/run-1', 'd.txt', 'later\n');
    expect(await ensure(agreed)).toEqual({ kind: 'pushed_by_other', at: early });
    expect(await world.land({ head: theirs })).toMatchObject({ landed: { reason: 'not_ready' } });
    expect(await ensure({ ...agreed, head: early, pushed: early })).toMatchObject({ head: early });

    expect(await world.land({ head: early })).toMatchObject({ landed: { kind: 'merged' } });
    expect(world.forge.state.git('ls-tree', '--name-only', 'main').split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'd.txt',
    ]);
  });

  it('is refused as what lands where nobody agreed to it', async () => {
    await ensure({ isDraft: false });
    const theirs = world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n');
    expect(await world.land({ head: theirs })).not.toMatchObject({ landed: { kind: 'merged' } });
    expect(world.forge.state.tip('main')).toBe(world.base);
  });

  it('stays: a branch of that name which was there before us', async () => {
    const theirs = world.forge.state.commit('sluice/run-1', 'c.txt', 'theirs\n');

    expect(await ensure()).toEqual({ kind: 'pushed_by_other', at: theirs });
    expect(world.forge.state.pulls).toEqual([]);
  });

  it('counts: closed or merged before we had noted that it is there', async () => {
    await ensure();
    world.forge.state.close(world.forge.state.pull(1));

    expect(await ensure({ pushed: world.head })).toMatchObject({ kind: 'pull', number: 1, state: 'closed' });
    expect(world.forge.state.pulls).toHaveLength(1);
  });

  it('is no pull request of ours: one from a fork with our branch name', async () => {
    world.forge.state.pulls.push({
      number: 1,
      nodeId: 'PR_1',
      title: 'evil',
      body: '',
      headRepo: 'owner/other',
      headBranch: 'sluice/run-1',
      headOid: world.base,
      base: 'main',
      state: 'open',
      isDraft: false,
      labels: [],
      merged: null,
      reviews: [],
      comments: [],
      isQueued: false,
      updatedAt: Date.now(),
    });

    expect(await ensure()).toMatchObject({ kind: 'pull', number: 2 });
    expect(world.forge.state.pull(1)).toMatchObject({ title: 'evil', body: '', labels: [] });
  });
});

describe('a fault of the forge', () => {
  const FAULTS: readonly (readonly [string, string, Fault])[] = [
    ['before the push', 'git receive-pack', { kind: 'error' }],
    ['after the push', 'git receive-pack', { kind: 'error_after' }],
    ['with the answer of the push', 'git receive-pack', { kind: 'dropped' }],
    ['at the list', 'GET pulls', { kind: 'error' }],
    ['before it is made', 'POST pulls', { kind: 'error' }],
    ['after it is made', 'POST pulls', { kind: 'error_after' }],
    ['with the answer that it is made', 'POST pulls', { kind: 'dropped' }],
    ['that makes it twice', 'POST pulls', { kind: 'twice' }],
    ['at its labels', 'POST issues/N/labels', { kind: 'error_after' }],
    ['that says no more for now', 'POST pulls', { kind: 'limited', by: 'second' }],
  ];

  it.each(FAULTS)('%s leaves one pull request, whole, once it is asked again', async (_when, request, fault) => {
    world.forge.faults.arm(request, fault);
    const first = await ensure();

    expect(['pull', 'unreachable', 'limited']).toContain(first.kind);
    // Where only the push was done, that is known.
    const isPushed = world.forge.state.tip('sluice/run-1') !== null;
    if (first.kind !== 'pull' && isPushed) expect(first).toMatchObject({ pushed: world.head });
    const last = first.kind === 'pull' ? first : await ensure();

    expect(last).toMatchObject({ kind: 'pull', number: 1, head: world.head });
    expect(world.forge.state.pulls).toHaveLength(1);
    expect(world.forge.state.pull(1)).toMatchObject({ labels: ['sluice'], isDraft: true });
    expect(world.forge.state.pull(1).body.match(/sluice begin/g)).toHaveLength(1);
  });

  it('that lists what was finds it by asking again', async () => {
    await ensure();
    world.forge.faults.arm('GET pulls', { kind: 'stale', pulls: [] }, 2);

    expect(await ensure({ pushed: world.head })).toMatchObject({ kind: 'pull', number: 1 });
    expect(world.forge.state.pulls).toHaveLength(1);
  });

  it('that shows it as it was before its labels is asked again, and nothing is written twice', async () => {
    await ensure();
    const { state, faults } = world.forge;
    const [pull] = state.pulls;
    const notBefore = new Date(pull?.updatedAt ?? 0).toISOString();
    const before = { ...state.pull(1), labels: [], updatedAt: state.pull(1).updatedAt - 1000 };
    faults.arm('GET pulls/N', { kind: 'stale', pulls: [before] }, 2);

    expect(await ensure({ number: 1, pushed: world.head, notBefore })).toMatchObject({ number: 1 });
    expect([faults.came('GET pulls/N'), faults.done('POST issues/N/labels')]).toEqual([3, 1]);
  });
});

describe('a forge that takes note of a push a while later', () => {
  it.each(['GET pulls', 'GET pulls/N'])(
    'is asked again (%s), so that our former head is nobody else’s push',
    async (asked) => {
      await ensure();
      const first = world.head;
      const head = await world.change({ 'b.txt': 'mended\n' });
      world.forge.faults.arm(asked, { kind: 'behind' }, 2);

      const number = asked === 'GET pulls' ? null : 1;
      expect(await ensure({ number, pushed: first })).toMatchObject({ kind: 'pull', number: 1, head });
      expect(world.forge.faults.came(asked)).toBe(asked === 'GET pulls' ? 4 : 3);
    },
  );

  it('and still does not show it, is asked by the next', async () => {
    await ensure();
    const first = world.head;
    await world.change({ 'b.txt': 'mended\n' });
    world.forge.faults.arm('GET pulls/N', { kind: 'behind' }, 6);

    expect(await ensure({ number: 1, pushed: first })).toMatchObject({ kind: 'unreachable' });
    expect(await ensure({ number: 1, pushed: first })).toMatchObject({ kind: 'pull', head: world.head });
  });
});

describe('a repository', () => {
  it('with another name is no longer the one that was named', async () => {
    world.forge.state.formerName = 'owner/name';
    world.forge.state.name = 'owner/renamed';

    expect(await ensure()).toMatchObject({ kind: 'moved' });
  });

  it('that the token does not open', async () => {
    world.forge.state.scopes.clear();

    expect(await ensure()).toMatchObject({ kind: 'unauthorized' });
  });

  it('whose record was changed on its host gets nothing, and no token', async () => {
    const file = `${world.run.stateDir}/run.json`;
    execFileSync('sed', ['-i', 's/"repo":"owner/"repo":"thief/', file]);

    await expect(ensure()).rejects.toThrow('was opened with was changed');
    expect(world.forge.faults.log).toEqual([]);
  });
});
