import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { swapBase } from '../../../activities/git/merge/swap-base.js';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import type { RefMove } from '../../../activities/git/refs/run-branch.js';
import { setGitFailpoint } from '../../../activities/git/start/run-git.js';
import { noFailpoint } from '../../../protocol/failpoints.js';
import { commit, IDENTITY } from './merge-fixture.js';
import { git, makeRepository, removeFolders, tempFolder, write } from './repository-fixture.js';

afterEach(() => {
  setGitFailpoint(noFailpoint);
  removeFolders();
});

const TIP = 'refs/sluice/@0123456789ab/tip';
const NEXT = 'refs/sluice/@0123456789ab/next';

/** A base `main` that nobody has checked out, and a commit on it. */
async function aBase() {
  const root = makeRepository();
  const from = git(root, 'rev-parse', 'main').trim();
  git(root, 'checkout', '--quiet', '-b', 'work');
  const to = commit(root, { a: 'a' });
  const other = commit(root, { b: 'b' });
  const repository = await findRepository(root);
  const swap = (moves: { readonly branch?: string; readonly to?: string; readonly with?: readonly RefMove[] } = {}) =>
    swapBase(repository, { branch: 'main', from, to, with: [], identity: IDENTITY, ...moves });
  const at = (ref: string) => git(root, 'for-each-ref', '--format=%(objectname)', ref).trim();
  return { root, repository, from, to, other, swap, at, lock: join(root, '.git/refs/heads/main.lock') };
}

describe('a swap of the base', () => {
  it('moves the base and the refs of the chain in one transaction, and says in the reflog who did', async () => {
    const { root, from, to, swap, at } = await aBase();
    git(root, 'update-ref', NEXT, to);

    const outcome = await swap({
      with: [
        { ref: TIP, to, from: null },
        { ref: NEXT, to: null, from: to },
      ],
    });

    expect(outcome).toEqual({ kind: 'swapped', use: null });
    expect([at('refs/heads/main'), at(TIP), at(NEXT)]).toEqual([to, to, '']);
    const entry = readFileSync(join(root, '.git/logs/refs/heads/main'), 'utf8').trim().split('\n').at(-1) ?? '';
    expect(entry).toMatch(new RegExp(`^${from} ${to} Ada <ada@example.org> .*\tsluice$`));
  });

  it.each([
    ['the base stands elsewhere', 'refs/heads/main'],
    ['the tip stands elsewhere', TIP],
  ])('moves nothing where %s', async (_, ref) => {
    const { root, from, other, swap, at } = await aBase();
    git(root, 'update-ref', TIP, from);
    git(root, 'update-ref', ref, other);

    const outcome = await swap({ with: [{ ref: TIP, to: other, from }] });

    expect(outcome).toEqual({ kind: 'moved', at: ref === TIP ? from : other });
    expect([at('refs/heads/main'), at(TIP)]).toEqual(ref === TIP ? [from, other] : [other, from]);
  });

  it('moves nothing where the base is gone', async () => {
    const { root, swap, at } = await aBase();
    git(root, 'branch', '--quiet', '-D', 'main');

    expect(await swap()).toEqual({ kind: 'moved', at: null });
    expect(at('refs/heads/main')).toBe('');
  });

  it('is won by one of two at once', async () => {
    const { to, other, swap, at } = await aBase();

    const outcomes = await Promise.all([swap(), swap({ to: other })]);

    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['moved', 'swapped']);
    const won = outcomes[0]?.kind === 'swapped' ? to : other;
    expect(at('refs/heads/main')).toBe(won);
    expect(outcomes).toContainEqual({ kind: 'moved', at: won });
  });

  it('leaves the lock of somebody else where it is', async () => {
    const { from, to, lock, swap, at } = await aBase();
    writeFileSync(lock, '');

    expect(await swap({ with: [{ ref: TIP, to, from: null }] })).toEqual({ kind: 'locked' });

    expect(existsSync(lock)).toBe(true);
    expect([at('refs/heads/main'), at(TIP)]).toEqual([from, '']);
  });

  it('waits for a git that holds the lock for a moment', async () => {
    const { lock, swap } = await aBase();
    writeFileSync(lock, '');

    const swapped = swap();
    setTimeout(() => rmSync(lock), 60);

    expect(await swapped).toEqual({ kind: 'swapped', use: null });
  });

  it('runs no hook', async () => {
    const { root, swap } = await aBase();
    const canary = join(root, 'canary');
    write(root, '.git/hooks/reference-transaction', `#!/bin/sh\ntouch '${canary}'\n`);
    git(root, 'config', 'core.hooksPath', join(root, '.git/hooks'));

    expect(await swap()).toMatchObject({ kind: 'swapped' });
    expect(existsSync(canary)).toBe(false);
  });
});

describe('a base that is a symbolic ref', () => {
  it('stays one, and what it points to moves', async () => {
    const { root, to, swap, at } = await aBase();
    git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');

    expect(await swap({ branch: 'alias' })).toEqual({ kind: 'swapped', use: null });

    expect(at('refs/heads/main')).toBe(to);
    expect(git(root, 'symbolic-ref', 'refs/heads/alias').trim()).toBe('refs/heads/main');
  });

  it.each([
    ['alias', 'main'],
    ['alias', 'alias'],
    ['main', 'alias'],
  ])('is in use: %s where %s is checked out', async (branch, head) => {
    const { root, from, swap, at } = await aBase();
    git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    git(root, 'symbolic-ref', 'HEAD', `refs/heads/${head}`);

    expect(await swap({ branch })).toMatchObject({ kind: 'in_use', use: { how: 'checked out', folder: root } });
    expect(at('refs/heads/main')).toBe(from);
  });
});

describe('a base in use', () => {
  const uses: readonly [string, (root: string, other: string) => void, string][] = [
    ['checked out in the main checkout', (root) => void git(root, 'checkout', '--quiet', 'main'), 'checked out'],
    ['checked out in a linked one', (root, other) => void git(root, 'worktree', 'add', other, 'main'), 'checked out'],
    [
      'rebased in a linked one',
      (root, other) => {
        git(root, 'worktree', 'add', '--quiet', other, 'main');
        commit(other, { a: 'mine' });
        expect(() => git(other, 'rebase', 'work')).toThrow();
      },
      'being rebased',
    ],
    [
      'applied to, by the other way of rebasing',
      (root) => {
        git(root, 'checkout', '--quiet', 'main');
        commit(root, { a: 'mine' });
        expect(() => git(root, 'rebase', '--apply', 'work')).toThrow();
      },
      'being rebased',
    ],
    [
      'moved along by the rebase of another branch',
      (root) => {
        git(root, 'checkout', '--quiet', 'main');
        commit(root, { a: 'mine' });
        git(root, 'checkout', '--quiet', '-b', 'above');
        commit(root, { c: 'c' });
        expect(() => git(root, 'rebase', '--update-refs', 'work')).toThrow();
      },
      'being rebased',
    ],
    [
      'bisected from',
      (root) => {
        git(root, 'checkout', '--quiet', 'main');
        const [first] = ['1', '2', '3', '4'].map((text) => commit(root, { c: text }));
        git(root, 'bisect', 'start', 'main', `${first}~1`);
      },
      'being bisected',
    ],
  ];

  it.each(uses)('stays where it is: %s', async (_, use, how) => {
    const { root, repository, to, at } = await aBase();
    use(root, join(tempFolder(), 'linked'));
    const from = at('refs/heads/main');

    const outcome = await swapBase(repository, { branch: 'main', from, to, with: [], identity: IDENTITY });

    expect(outcome).toMatchObject({ kind: 'in_use', use: { how } });
    expect(at('refs/heads/main')).toBe(from);
  });

  it('by a checkout that came between is named after the swap', async () => {
    const { root, to, swap, at } = await aBase();
    // Of all that a swap has git do this comes behind its look.
    setGitFailpoint((name) => {
      if (name === 'git.before-update-ref') git(root, 'symbolic-ref', 'HEAD', 'refs/heads/main');
    });

    expect(await swap()).toMatchObject({ kind: 'swapped', use: { how: 'checked out', folder: root } });
    expect(at('refs/heads/main')).toBe(to);
  });
});
