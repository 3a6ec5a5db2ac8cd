/** A head that lands on the base of a forge, by real git and real octokit: by a push, or by a merge of its pull request, and whatever the forge says and whenever it breaks, once. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createForgeActivities } from '../../../activities/forge/forge-activities.js';
import { createLandEntry } from '../../../activities/landing/land-entry.js';
import { readLanded } from '../../../activities/unit/landed-mark.js';
import { type LookAtBaseResult, queueName } from '../../../protocol/actors/merge-queue.js';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type { LandingPolicy } from '../../../protocol/run/landing-policy.js';
import type { Fault } from '../../support/forge/faults.js';
import type { FakePull } from '../../support/forge/forge-state.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
let pull: FakePull;
const open = async (landing: Partial<LandingPolicy> = {}, commands: readonly string[] = []) => {
  world = await openForgeWorld({ landing, commands });
  await world.ensure();
  pull = world.forge.state.pull(1);
};
afterEach(() => {
  world.forge.close();
  removeFolders();
});

const ours = (...args: readonly string[]) =>
  execFileSync('git', [...args], { cwd: world.run.record.repository.root, encoding: 'utf8' }).trim();
const main = () => world.forge.state.tip('main');
/** How often the base got something, by anybody. */
const landings = () => world.forge.state.git('rev-list', '--first-parent', '--count', `${world.base}..main`);
const persons = () => ours('for-each-ref', 'refs/heads', 'refs/remotes', 'refs/tags');
const marked = () => readLanded(world.run.stateDir);
const others = () => world.forge.state.commit('main', 'd.txt', 'theirs\n');

describe('a base without rules', () => {
  it('gets the checked commit itself by a push, and no branch of a person moves', async () => {
    await open();
    const before = persons();

    const answer = await world.land();

    expect(answer).toEqual({
      landed: { kind: 'merged', commit: world.head },
      base: { at: world.head, contains: 0, use: null },
    });
    expect([main(), persons(), pull.merged?.by]).toEqual([world.head, before, 'a push']);
    expect(world.forge.faults.came('PUT pulls/N/merge')).toBe(0);
    expect(world.forge.faults.came('PullState')).toBe(1);
  });

  it('gets a merge where others were faster, made of what it is by then', async () => {
    await open();
    const theirs = others();

    const { landed } = await world.land();

    expect(landed).toEqual({ kind: 'merged', commit: main() });
    expect(world.forge.state.git('rev-parse', 'main^1', 'main^2').split('\n')).toEqual([theirs, world.head]);
    expect(ours('rev-parse', `refs/sluice/${queueName(world.queue)}/base`)).toBe(main());
  });

  it.each(['git receive-pack refs', 'git receive-pack'])(
    'that moves between the look and the push (%s) is left alone, and the next attempt lands',
    async (request) => {
      await open();
      let theirs = '';
      world.forge.faults.arm(request, { kind: 'before', act: () => (theirs = others()) });

      const first = await world.land();
      const second = await world.land();

      expect(first).toMatchObject({ landed: { kind: 'moved' }, base: { at: theirs } });
      expect(second).toMatchObject({ landed: { kind: 'merged' }, base: { at: main() } });
      expect(landings()).toBe('2');
    },
  );

  it('does not move where somebody pushed to the branch since the look, which goes unmerged with it', async () => {
    await open();
    let late = '';
    const act = () => {
      late = world.forge.state.commit('sluice/run-1', 'c.txt', 'late\n');
    };
    // The look at the pull request is answered; the push asks for the refs twice.
    world.forge.faults.arm('git receive-pack refs', { kind: 'before', act });

    expect(await world.land()).toMatchObject({
      landed: { kind: 'exhausted', reason: 'not_ready', why: expect.stringContaining('somebody pushed') },
    });
    expect([main(), world.forge.state.tip('sluice/run-1'), pull.merged]).toEqual([world.base, late, null]);
  });

  it('is checked before, on what it is', async () => {
    await open({}, ['grep changed b.txt']);
    const theirs = others();

    expect(await world.land()).toMatchObject({ landed: { kind: 'check', on: theirs } });
    expect(main()).toBe(theirs);
  });

  it('that refuses the push by a rule that was not seen says so in its own words', async () => {
    await open();
    world.forge.state.protect('main');
    world.forge.state.rules.needsPull = false;

    expect(await world.land()).toMatchObject({
      landed: { kind: 'exhausted', reason: 'refused', why: expect.stringContaining('hook declined') },
      base: { at: world.base },
    });
    expect(main()).toBe(world.base);
  });

  it('conflicts as any base does, and the repair begins where it stands', async () => {
    await open();
    const theirs = world.forge.state.commit('main', 'b.txt', 'theirs\n');

    expect(await world.land()).toMatchObject({ landed: { kind: 'conflict', on: theirs, files: ['b.txt'] } });
  });
});

describe('a rebase', () => {
  const parents = () => world.forge.state.git('log', '-1', '--format=%P %s', 'main');

  it('of a head that is a line from the base on is a push of it', async () => {
    await open({ method: 'rebase' });

    expect((await world.land()).landed).toEqual({ kind: 'merged', commit: world.head });
    expect([main(), pull.merged?.by]).toEqual([world.head, 'a push']);
  });

  it.each([
    ['that moved', async () => void others()],
    ['with rules', async () => world.forge.state.protect('main')],
  ])(
    'onto a base %s is the forge’s, commit by commit, and its mark says which commit stands for the head',
    async (_what, change) => {
      await open({ method: 'rebase' });
      await change();
      const on = main();

      const { landed } = await world.land();

      expect(landed).toEqual({ kind: 'merged', commit: main() });
      expect([parents(), pull.merged?.by]).toEqual([`${on} change`, 'sluice']);
      expect(marked()).toMatchObject({ head: world.head, commit: main(), isThere: true, isGreen: true });
      expect((await world.land()).landed).toEqual({ kind: 'merged', commit: main() });
    },
  );
});

describe.each<[string, () => Promise<void>]>([
  ['a merge by rules', async () => (await open(), world.forge.state.protect('main'))],
  ['a squash', () => open({ method: 'squash' })],
])('%s', (_what, prepare) => {
  const isSquash = _what === 'a squash';

  it('is the forge’s, with the title of ours, and the mark names its commit', async () => {
    await prepare();

    const { landed, base } = await world.land();

    expect(landed).toEqual({ kind: 'merged', commit: main() });
    expect(base).toMatchObject({ at: main(), use: null });
    const parents = world.forge.state.git('log', '-1', '--format=%P', 'main').split(' ');
    expect(parents).toEqual(isSquash ? [world.base] : [world.base, world.head]);
    expect(world.forge.state.git('log', '-1', '--format=%s', 'main')).toBe(
      isSquash ? 'x' : 'Merge sluice/run-1 into main',
    );
    expect(marked()).toMatchObject({ commit: main(), base: world.queue, isThere: true, isGreen: true });
    expect(world.forge.faults.came('git receive-pack')).toBe(1);
    expect(world.forge.faults.came('PullState')).toBe(2);
  });

  it('that a person did is theirs', async () => {
    await prepare();
    const commit = world.forge.state.merge(pull, 'a person', { method: isSquash ? 'squash' : 'merge' });
    const later = others();

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit }, base: { at: later } });
    expect(world.forge.faults.came('PUT pulls/N/merge')).toBe(0);
  });

  it('that a person did onto a base that had moved is another tree than the checked one, which is to be checked', async () => {
    await prepare();
    const on = others();
    const commit = world.forge.state.merge(pull, 'a person', { method: isSquash ? 'squash' : 'merge' });

    // Whoever looks at it sees that it is merged, and no more.
    await world.act(({ lookAtPull }) => lookAtPull({ ...world.about, number: 1, notBefore: null }));

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit, uncheckedOn: on } });
    expect(marked()).toMatchObject({ commit, isThere: true, isGreen: false });
  });

  it('that a person did between the look and ours is theirs', async () => {
    await prepare();
    const act = () => void world.forge.state.merge(pull, 'a person');
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act });

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit: main() } });
    expect([landings(), pull.merged?.by]).toEqual(['1', 'a person']);
  });

  it('that the forge shows a while later is waited for', async () => {
    await prepare();
    const old = structuredClone(world.forge.state.pulls);
    world.forge.faults.arm('PullState', { kind: 'before', act: () => undefined });
    world.forge.faults.arm('PullState', { kind: 'stale', pulls: old }, 2);

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit: main() } });
  });

  it('that was done and is not shown yet is not told as nothing left', async () => {
    await prepare();
    const old = structuredClone(world.forge.state.pulls);
    const commit = world.forge.state.merge(pull, 'a person', { method: 'squash' });
    world.forge.faults.arm('PullState', { kind: 'stale', pulls: old }, 3);

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit } });
  });

  it('of a head that was late is not done', async () => {
    await prepare();
    const late = () => world.forge.state.commit('sluice/run-1', 'c.txt', 'late\n');
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act: late });

    const why = expect.stringContaining('has another head');
    expect(await world.land()).toMatchObject({ landed: { kind: 'exhausted', reason: 'not_ready', why } });
    expect([pull.merged, main()]).toEqual([null, world.base]);
  });

  it('of a base that moves meanwhile is another tree than the checked one, which is noted', async () => {
    await prepare();
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act: () => void others() });

    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit: main() } });
    expect(marked()).toMatchObject({ commit: main(), isThere: true, isGreen: false });
  });

  it.each<[Fault, unknown]>([
    [{ kind: 'error' }, { landed: { kind: 'moved' }, base: { held: { reason: 'forge' }, until: null } }],
    [
      { kind: 'status', status: 405, message: 'Base branch was modified. Review and try the merge again.' },
      { landed: { kind: 'moved' }, base: { held: { reason: 'forge' }, until: null } },
    ],
    [{ kind: 'error_after' }, { landed: { kind: 'merged' } }],
    [{ kind: 'dropped' }, { landed: { kind: 'merged' } }],
    [{ kind: 'twice' }, { landed: { kind: 'merged' } }],
    [
      { kind: 'limited', by: 'retry-after' },
      { landed: { kind: 'moved' }, base: { held: { reason: 'forge' }, until: expect.stringMatching(/Z$/) } },
    ],
    [
      { kind: 'status', status: 405, message: 'Required status check "x" is expected.' },
      { landed: { kind: 'exhausted', reason: 'refused', why: expect.stringContaining('"x" is expected') } },
    ],
    [{ kind: 'status', status: 422, message: 'no' }, { landed: { kind: 'exhausted', reason: 'refused' } }],
  ])('with the fault %j is told by its state, and there is one at the end', async (fault, said) => {
    await prepare();
    world.forge.faults.arm('PUT pulls/N/merge', fault);

    expect(await world.land()).toMatchObject(said as object);
    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit: main() } });
    expect(landings()).toBe('1');
  });

  it('that is refused since the base moved is tried again on what it is now', async () => {
    await prepare();
    const act = () => {
      others();
      const stale = { kind: 'status', status: 405, message: 'Base branch was modified.' } as const;
      world.forge.faults.arm('PUT pulls/N/merge', stale);
    };
    world.forge.faults.arm('PullState', { kind: 'before', act });

    expect(await world.land()).toMatchObject({ landed: { kind: 'moved' }, base: { at: main() } });
    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit: main() } });
  });
});

describe('a pull request that may not be merged', () => {
  it.each<[string, () => void, string]>([
    ['a draft', () => (pull.isDraft = true), 'is a draft'],
    [
      'with a head that a person pushed',
      () => world.forge.state.commit('sluice/run-1', 'c.txt', 'x\n'),
      'another head',
    ],
    ['onto another base', () => (world.forge.state.commit('other', 'c.txt', 'x\n'), (pull.base = 'other')), 'other'],
    [
      'with a check that nobody has begun',
      () => (world.forge.state.rules.requiredChecks = [{ context: 'ci', app: null }]),
      'waits for required checks: ci',
    ],
    ['without the review it needs', () => (world.forge.state.rules.approvals = 1), 'waits for a review'],
    ['that was closed', () => world.forge.state.close(pull), 'was closed'],
    [
      'merged into another base',
      () => (
        world.forge.state.git('update-ref', 'refs/heads/other', 'main'),
        (pull.base = 'other'),
        world.forge.state.merge(pull, 'p')
      ),
      'merged into other',
    ],
  ])('%s is not, and it is said what it waits for', async (_what, change, words) => {
    await open({}, ['false']);
    change();

    expect(await world.land()).toMatchObject({
      landed: { kind: 'exhausted', reason: 'not_ready', why: expect.stringContaining(words) },
      base: { at: world.base },
    });
    expect(main()).toBe(world.base);
    expect(world.host.started).toEqual([]);
  });

  it('is none at all', async () => {
    await open();

    expect(await world.land({ pull: null })).toMatchObject({ landed: { kind: 'exhausted', reason: 'not_ready' } });
    expect(main()).toBe(world.base);
  });

  it('is given to the forge’s own queue once, which has it then', async () => {
    await open();
    world.forge.state.rules.hasQueue = true;
    const why = expect.stringContaining("the forge's own merge queue");

    for (let times = 0; times < 2; times += 1)
      expect(await world.land()).toMatchObject({ landed: { kind: 'exhausted', reason: 'not_ready', why } });
    expect(world.forge.faults.done('Enqueue')).toBe(1);

    const commit = world.forge.state.merge(pull, 'the queue');
    expect(await world.land()).toMatchObject({ landed: { kind: 'merged', commit } });
  });
});

it('what the forge alone takes for a conflict is asked about, and not sent back and forth without an end', async () => {
  await open();
  world.forge.state.protect('main');
  const { state, faults } = world.forge;
  const said = { kind: 'before' as const, act: () => void (state.mergeability = () => 'CONFLICTING') };
  faults.arm('PullState', said);

  expect(await world.land()).toMatchObject({
    landed: { kind: 'exhausted', reason: 'refused', why: expect.stringContaining('as the forge sees it') },
  });
  expect(faults.came('PUT pulls/N/merge')).toBe(0);
});

describe('a forge that cannot be asked', () => {
  const LIMITED = { kind: 'limited', by: 'graphql' } as const;

  it.each<[string, () => void, string, 'look' | 'land']>([
    [
      'is out of order',
      () => world.forge.faults.arm('git upload-pack refs', { kind: 'error' }),
      'does not answer',
      'look',
    ],
    ['is away', () => world.forge.close(), 'does not answer', 'look'],
    ['takes no more', () => world.forge.faults.arm('PullState', LIMITED), 'no more requests', 'land'],
    ['does not know the token', () => world.forge.state.scopes.clear(), 'GH_TOKEN on the host host', 'look'],
    [
      'has another name',
      () => ((world.forge.state.formerName = 'owner/name'), (world.forge.state.name = 'o/n')),
      'has another name',
      'look',
    ],
    ['is archived', () => (world.forge.state.isArchived = true), 'is archived', 'land'],
    [
      'is where it was moved',
      () =>
        world.forge.faults.arm('git upload-pack refs', {
          kind: 'status',
          status: 301,
          message: 'http://127.0.0.1:1/x.git/info/refs',
        }),
      'has another name',
      'look',
    ],
  ])('since it %s holds all that lands there, with what mends it', async (_what, change, words, at) => {
    await open();
    change();
    const until = _what === 'takes no more' ? expect.stringMatching(/Z$/) : null;
    const base = { held: { reason: 'forge', why: expect.stringContaining(words) }, until };

    if (at === 'look') expect(await world.lookAtBase()).toEqual({ base, watched: [] });
    change();
    const unseen = at === 'look' ? { isUnseen: true } : {};
    expect(await world.land()).toEqual({ landed: { kind: 'moved', ...unseen }, base });
    expect(main()).toBe(world.base);
  });

  it('for want of a token names what gives one', async () => {
    await open();
    const deps = { ...world.deps, environment: { PATH: '/nonexistent' } };
    const input = { place: world.place(), queue: world.queue, owner: 'q', chain: null, mayMove: true, watched: [] };

    const looked: LookAtBaseResult = await new MockActivityEnvironment().run(() =>
      createForgeActivities(deps).lookAtBase({ ...input, ...world.about }),
    );

    const why = /has no token of .*neither GH_TOKEN nor GITHUB_TOKEN.*login/;
    expect(looked.base).toMatchObject({ held: { why: expect.stringMatching(why) } });
  });

  it('knows that a branch is gone', async () => {
    await open();
    world.forge.state.git('update-ref', '-d', 'refs/heads/main');

    expect(await world.lookAtBase()).toEqual({ base: null, watched: [] });
    expect(await world.land()).toEqual({ base: null, landed: { kind: 'moved', isUnseen: true } });
  });
});

describe('a look at the base', () => {
  it('fetches it, keeps it from being pruned, and finds what others took there', async () => {
    await open();
    const { repoKey, runId } = world.about;
    const before = persons();
    const watched = { id: 'e', runId, repoKey, pull: null, anyway: false, head: null, seenOn: null };
    expect(await world.lookAtBase({ watched: [watched] })).toMatchObject({ base: { at: world.base }, watched: [] });
    const commit = world.forge.state.merge(pull, 'a person');

    const looked = await world.lookAtBase({ watched: [watched] });
    ours('gc', '--quiet', '--prune=now');

    expect(looked).toMatchObject({
      base: { at: commit, use: null },
      watched: [{ id: 'e', landed: { kind: 'merged' } }],
    });
    expect([ours('cat-file', '-t', commit ?? ''), persons()]).toEqual(['commit', before]);
    const mark = { head: world.head, base: world.queue, commit: world.head, isThere: true };
    expect(readLanded(world.run.stateDir)).toMatchObject(mark);
  });

  it('is refused to a run that lands elsewhere, and to who speaks to no forge', async () => {
    await open();
    const { runId, repoKey } = world.about;
    const entry = { id: 'e', runId, repoKey, pull: 1, head: null, anyway: false };
    const input = { place: world.place(), queue: world.queue, owner: 'q', entry, chain: null, evidence: [] };
    const run = (queue: ForgeWorld['queue']) =>
      new MockActivityEnvironment().run(() => createLandEntry(world.deps)({ ...input, queue }));

    for (const queue of [world.queue, { ...world.queue, repoKey: 'other/name' }, { ...world.queue, repoKey: 'other' }])
      await expect(run(queue)).rejects.toMatchObject({ type: 'BadInput', nonRetryable: true });
  });

  it('of the branch of the repository is another queue, with a mark of its own', async () => {
    await open();
    await world.land();
    const { runId, repoKey } = world.about;
    const entry = { id: 'e', runId, repoKey, pull: null, head: null, anyway: false };
    const queue = { repoKey, branch: 'main' };
    const input = { place: { ...world.place(), runId: queueName(queue) }, queue, owner: 'q', entry, chain: null };
    const asked = world.forge.faults.log.length;

    const landed = await new MockActivityEnvironment().run(() =>
      createLandEntry(world.deps)({ ...input, evidence: [] }),
    );

    expect(landed).toMatchObject({ landed: { kind: 'ready', commit: world.head }, base: { at: world.base } });
    expect(ours('rev-parse', `refs/sluice/${queueName(queue)}/tip`)).toBe(world.head);
    expect(world.forge.faults.log).toHaveLength(asked);
  });
});

describe('an attempt that dies', () => {
  // The other steps of landing are those of any base.
  const POINTS: readonly FailpointName[] = ['land.before-swap', 'land.after-swap', 'land.before-record'];
  const REQUESTS = [['forge.before-request', 2] as const, ['forge.after-request', 2] as const];
  const steps = POINTS.map((name) => [name, 1] as const);
  const WAYS: readonly [string, () => Promise<void>, readonly (readonly [FailpointName, number])[]][] = [
    ['a push', () => open(), [...steps, ['forge.before-push', 1], ['forge.after-push', 1], ['forge.after-request', 1]]],
    ['a merge by rules', async () => (await open(), world.forge.state.protect('main')), [...steps, ...REQUESTS]],
    ['a squash', () => open({ method: 'squash' }), [['forge.after-request', 2]]],
  ];

  it.each(WAYS.flatMap(([way, prepare, points]) => points.map(([name, nth]) => [way, name, nth, prepare] as const)))(
    'in %s at %s (%i) is gone on with by the next, to one landing',
    async (_way, name, nth, prepare) => {
      await prepare();
      const place = world.place();
      world.dieAt(name, nth);

      await expect(world.land({ place })).rejects.toThrow(`died at ${name}`);
      const { landed } = await world.land({ place });

      // Of what the forge made before the death nothing more is known: it is checked.
      expect(landed).toMatchObject({ kind: 'merged', commit: main() });
      expect(landings()).toBe('1');
      expect(marked()).toMatchObject({ commit: main(), isThere: true });
    },
  );
});
