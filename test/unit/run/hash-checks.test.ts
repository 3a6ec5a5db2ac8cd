import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashChecks } from '../../../activities/checks/hash-checks.js';
import type { CheckSet, WorktreePolicy } from '../../../protocol/run/policy.js';

const SET: CheckSet = { commands: ['npm test', 'npm run lint'], timeoutMs: 60_000, baseFailures: 'fix' };
const WORKTREE: WorktreePolicy = {
  setup: ['npm ci'],
  copy: ['.env'],
  link: ['cache'],
  setupInputs: ['package-lock.json'],
  setupTimeoutMs: 900_000,
};

/** Lists that a careless text would take for one another. */
const LISTS = [[], ['a'], ['a', 'b'], ['a,b'], ['a","b'], ['"],["']];

function* everySet(): Generator<string> {
  for (const commands of LISTS)
    for (const setup of LISTS)
      for (const copy of LISTS)
        for (const link of LISTS)
          for (const setupInputs of LISTS)
            yield hashChecks({ ...SET, commands }, { ...WORKTREE, setup, copy, link, setupInputs });
}

describe('the hash of checks', () => {
  it('is another one for each set of lists', () => {
    const all = [...everySet()];

    expect(new Set(all).size).toBe(all.length);
  });

  it('is another one for commands that are joined, by whatever text', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 2 }), fc.string(), (commands, between) => {
        const joined = hashChecks({ ...SET, commands: [commands.join(between)] }, WORKTREE);

        expect(joined).not.toBe(hashChecks({ ...SET, commands }, WORKTREE));
      }),
    );
  });

  it.each<[string, Partial<CheckSet>, Partial<WorktreePolicy>]>([
    ['the order of the commands', { commands: ['npm run lint', 'npm test'] }, {}],
    ['two commands as one', { commands: ['npm test,npm run lint'] }, {}],
    ['their limit', { timeoutMs: 30_000 }, {}],
    ['the set-up', {}, { setup: ['npm ci --ignore-scripts'] }],
    ['what is copied', {}, { copy: [] }],
    ['what is linked instead of copied', {}, { copy: ['cache'], link: ['.env'] }],
    ['when the set-up runs again', {}, { setupInputs: [] }],
    ['the limit of the set-up', {}, { setupTimeoutMs: 1 }],
  ])('tells %s', (_what, set, worktree) => {
    expect(hashChecks({ ...SET, ...set }, { ...WORKTREE, ...worktree })).not.toBe(hashChecks(SET, WORKTREE));
  });

  it('is the same whatever red on the base counts for, and in whatever order a config was read', () => {
    const reordered = Object.fromEntries(Object.entries(WORKTREE).toReversed()) as unknown as WorktreePolicy; // The same keys.

    expect(hashChecks({ ...SET, baseFailures: 'ignore' }, reordered)).toBe(hashChecks(SET, WORKTREE));
  });
});
