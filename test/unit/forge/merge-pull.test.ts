/** Looks and merges, by real octokit: what came of a merge is told by its state, whatever the forge says and whenever it breaks. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PULL_STATE, readPull } from '../../../activities/forge/pull-query.js';
import type { MergePullInput } from '../../../protocol/actors/forge.js';
import type { Fault } from '../../support/forge/faults.js';
import { answerGraphql } from '../../support/forge/forge-graphql.js';
import type { FakePull } from '../../support/forge/forge-state.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

let world: ForgeWorld;
let pull: FakePull;
beforeEach(async () => {
  world = await openForgeWorld();
  const { about } = world;
  await world.act(({ ensurePull }) =>
    ensurePull({ ...about, headRunId: about.runId, base: 'main', pushed: null, number: null, isDraft: false }),
  );
  pull = world.forge.state.pull(1);
});
afterEach(() => world.forge.close());

const merge = (given: Partial<MergePullInput> = {}) =>
  world.act(({ mergePull }) =>
    mergePull({ ...world.about, number: 1, head: world.head, base: 'main', method: 'merge', ...given }),
  );

const look = (notBefore: string | null = null) =>
  world.act(({ lookAtPull }) => lookAtPull({ ...world.about, number: 1, notBefore }));

const green = (name: string) =>
  world.forge.state.checks.set(world.head, [
    { name, app: 1, conclusion: 'SUCCESS', startedAt: '2026-01-01T00:00:00Z' },
  ]);

describe('a look', () => {
  it('says how it stands, by one query', async () => {
    world.forge.state.rules.requiredChecks = [{ context: 'ci', app: 1 }];
    green('ci');
    pull.reviews = [{ author: 'a', state: 'APPROVED', commit: world.head }];

    expect(await look()).toMatchObject({
      kind: 'pull',
      pull: {
        ...{ state: 'open', isDraft: false, head: world.head, base: 'main', mergeable: 'yes', review: 'approved' },
        ...{ queue: 'off', hasRules: true, checks: { state: 'passed' }, mergeCommit: null },
      },
    });
    expect(world.forge.faults.came('PullState')).toBe(1);
  });

  it('takes a review of another commit for none', async () => {
    pull.reviews = [
      { author: 'a', state: 'APPROVED', commit: world.base },
      { author: 'b', state: 'CHANGES_REQUESTED', commit: world.base },
    ];

    expect(await look()).toMatchObject({ pull: { review: 'none' } });
  });

  it('takes the newest of one check of one app', async () => {
    world.forge.state.rules.requiredChecks = [{ context: 'ci', app: null }];
    world.forge.state.checks.set(world.head, [
      { name: 'ci', app: 1, conclusion: 'SUCCESS', startedAt: '2026-01-01T00:10:00Z' },
      { name: 'ci', app: 1, conclusion: 'FAILURE', startedAt: '2026-01-01T00:00:00Z' },
    ]);

    expect(await look()).toMatchObject({ pull: { checks: { state: 'passed' } } });
  });

  it('that shows what was before our last write is taken again', async () => {
    const old = structuredClone(world.forge.state.pulls);
    world.forge.state.touch(pull);
    const { updatedAt } = pull;
    world.forge.faults.arm('PullState', { kind: 'stale', pulls: old }, 2);

    const answer = await look(new Date(updatedAt).toISOString());

    expect(answer).toMatchObject({ kind: 'pull', pull: { updatedAt: new Date(updatedAt).toISOString() } });
    expect(world.forge.faults.came('PullState')).toBe(3);
  });

  it('asks for every field that it reads', () => {
    const { data } = answerGraphql(world.forge.state, 'PullState', { owner: 'owner', name: 'name', number: 1 });
    const seen: string[] = [];
    const watched = (value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(Object.entries(value).map(([name, field]) => [name, (seen.push(name), watched(field))]));

    watched(data);

    expect(readPull(data)).not.toBeNull();
    expect(seen.filter((name) => !new RegExp(`\\b${name}\\b`).test(PULL_STATE))).toEqual([]);
  });

  it.each([
    ['the forge is out of order', 'error', 'unreachable'],
    ['it says no more for now', 'limited', 'limited'],
  ] as const)('where %s says so', async (_what, kind, said) => {
    world.forge.faults.arm('PullState', kind === 'error' ? { kind } : { kind, by: 'graphql' });

    expect(await look()).toMatchObject({ kind: said });
  });
});

describe('a merge', () => {
  it.each(['merge', 'squash'] as const)('by %s is done, and told again as it stands', async (method) => {
    const answer = await merge({ method });

    expect(answer).toEqual({ kind: 'merged', commit: world.forge.state.tip('main') });
    expect(await merge({ method })).toEqual(answer);
    expect(world.forge.faults.done('PUT pulls/N/merge')).toBe(1);
  });

  it('is what a person did', async () => {
    const commit = world.forge.state.merge(pull, 'a person');

    expect(await merge()).toEqual({ kind: 'merged', commit });
    expect(world.forge.faults.came('PUT pulls/N/merge')).toBe(0);
  });

  it('is asked of the forge’s own queue once, where the base has one', async () => {
    world.forge.state.rules.hasQueue = true;

    expect(await merge()).toEqual({ kind: 'queued' });
    expect(await merge()).toEqual({ kind: 'queued' });
    expect(world.forge.faults.done('Enqueue')).toBe(1);
  });

  it.each<[string, () => void]>([
    ['a draft', () => (pull.isDraft = true)],
    ['a head that a person pushed', () => world.forge.state.commit('sluice/run-1', 'c.txt', 'late\n')],
    ['another base', () => (world.forge.state.commit('other', 'c.txt', 'x\n'), (pull.base = 'other'))],
    ['a check that nobody has begun', () => (world.forge.state.rules.requiredChecks = [{ context: 'ci', app: null }])],
    ['a review that is missing', () => (world.forge.state.rules.approvals = 1)],
    ['a conflict', () => world.forge.state.commit('main', 'b.txt', 'theirs\n')],
    ['an end without a merge', () => world.forge.state.close(pull)],
  ])('is not asked for with %s', async (_what, change) => {
    change();

    expect(await merge()).toMatchObject({ kind: 'not_ready' });
    expect(world.forge.faults.came('PUT pulls/N/merge')).toBe(0);
    expect(pull.merged).toBeNull();
  });

  it('of a head that was late, between the look and the merge, is not done', async () => {
    let late = '';
    const act = () => (late = world.forge.state.commit('sluice/run-1', 'c.txt', 'late\n'));
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act });

    expect(await merge()).toMatchObject({ kind: 'not_ready', pull: { head: late } });
    expect(pull.merged).toBeNull();
  });

  it('that a person did between the look and ours is theirs', async () => {
    const act = () => void world.forge.state.merge(pull, 'a person');
    world.forge.faults.arm('PUT pulls/N/merge', { kind: 'before', act });

    expect(await merge()).toEqual({ kind: 'merged', commit: pull.merged?.commit });
    expect(pull.merged?.by).toBe('a person');
  });

  it.each<[Fault, string]>([
    [{ kind: 'error' }, 'unreachable'],
    [{ kind: 'error_after' }, 'merged'],
    [{ kind: 'dropped' }, 'merged'],
    [{ kind: 'twice' }, 'merged'],
    [{ kind: 'limited', by: 'retry-after' }, 'limited'],
    [{ kind: 'limited', by: 'reset' }, 'limited'],
    [{ kind: 'status', status: 405, message: 'Base branch was modified. Review and try the merge again.' }, 'refused'],
    [{ kind: 'status', status: 409, message: 'Head branch was modified.' }, 'refused'],
    [{ kind: 'status', status: 422, message: 'Validation Failed' }, 'refused'],
  ])('with the fault %j is %s, and there is one at the end', async (fault, kind) => {
    world.forge.faults.arm('PUT pulls/N/merge', fault);

    expect(await merge()).toMatchObject({ kind });
    expect(await merge()).toMatchObject({ kind: 'merged' });

    const merges = world.forge.state.git('rev-list', '--merges', '--count', 'main');
    expect(merges).toBe('1');
  });

  it('that the forge shows a while later is waited for', async () => {
    world.forge.faults.arm('PullState', { kind: 'before', act: () => undefined });
    const old = structuredClone(world.forge.state.pulls);
    world.forge.faults.arm('PullState', { kind: 'stale', pulls: old }, 2);

    expect(await merge()).toMatchObject({ kind: 'merged' });
  });
});
