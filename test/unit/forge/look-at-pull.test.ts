/** Looks at a pull request, by real octokit. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PULL_STATE, readPull } from '../../../activities/forge/pull-query.js';
import { readLanded } from '../../../activities/unit/landed-mark.js';
import { answerGraphql } from '../../support/forge/forge-graphql.js';
import type { FakePull } from '../../support/forge/forge-state.js';
import { removeFolders } from '../git/repository-fixture.js';
import { type ForgeWorld, openForgeWorld } from './forge-world.js';

afterAll(removeFolders);

let world: ForgeWorld;
let pull: FakePull;
beforeEach(async () => {
  world = await openForgeWorld();
  await world.ensure();
  pull = world.forge.state.pull(1);
});
afterEach(() => world.forge.close());

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
        state: 'open',
        isDraft: false,
        head: world.head,
        base: 'main',
        mergeable: 'yes',
        review: 'approved',
        queue: 'off',
        hasRules: true,
        checks: { state: 'passed' },
        mergeCommit: null,
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

  it('takes the newest of one check of one app, also where the older one is on another page', async () => {
    world.forge.state.rules.requiredChecks = [{ context: 'ci', app: null }];
    const others = Array.from({ length: 120 }, (_, n) => ({
      name: `job ${n}`,
      app: 1,
      conclusion: 'SUCCESS',
      startedAt: '2026-01-01T00:00:00Z',
    }));
    const failed = { name: 'ci', app: 1, conclusion: 'FAILURE', startedAt: '2026-01-01T00:00:00Z' };
    const passed = { ...failed, conclusion: 'SUCCESS', startedAt: '2026-01-01T00:10:00Z' };
    for (const [first, last, state] of [
      [failed, passed, 'passed'],
      [passed, failed, 'passed'],
      [{ ...failed, startedAt: '2026-01-01T00:20:00Z' }, passed, 'failed'],
    ] as const) {
      world.forge.state.checks.set(world.head, [first, ...others, last]);
      expect(await look()).toMatchObject({ pull: { checks: { state } } });
    }
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

  it('that is not known there for a moment is taken again, and is gone where that stays so', async () => {
    world.forge.faults.arm('PullState', { kind: 'stale', pulls: [] }, 2);
    expect(await look()).toMatchObject({ kind: 'pull' });
    expect(world.forge.faults.came('PullState')).toBe(3);

    world.forge.faults.arm('PullState', { kind: 'stale', pulls: [] }, 6);
    expect(await look()).toMatchObject({ kind: 'gone' });
  });

  it('has its host note what somebody merged, but no head that somebody put in the place of ours', async () => {
    const { state } = world.forge;
    const noted = () => readLanded(world.run.stateDir);
    await look();
    expect(noted()).toBeNull();
    const commit = state.merge(pull, 'a person', { method: 'squash' });
    await look();
    const base = { repoKey: 'owner/name', branch: 'main' };
    expect(noted()).toMatchObject({ head: world.head, base, commit, isThere: true });

    rmSync(join(world.run.stateDir, 'landed.json'));
    pull.headOid = world.base;
    expect(await look()).toMatchObject({ pull: { state: 'merged' } });
    expect(noted()).toBeNull();
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
