import { afterEach, describe, expect, it } from '@jest/globals';
import { findLandingBase } from '../../../activities/git/merge/find-landing-base.js';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

const LONG = `${'b'.repeat(100)}/${'é'.repeat(49)}c`;

async function aRepository() {
  const root = makeRepository();
  const sha = git(root, 'rev-parse', 'main').trim();
  for (const ref of ['heads/Feature/x', 'tags/v1', 'tags/both', 'heads/both', 'remotes/origin/main', `heads/${LONG}`])
    git(root, 'update-ref', `refs/${ref}`, sha);
  git(root, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
  git(root, 'symbolic-ref', 'refs/heads/outside', 'refs/remotes/origin/main');
  git(root, 'symbolic-ref', 'refs/heads/dangling', 'refs/heads/none');
  return { root, sha, repository: await findRepository(root) };
}

describe('the base of a landing', () => {
  it.each(['main', 'Feature/x', 'both', 'alias', LONG])('is a local branch: %s', async (branch) => {
    const { root, sha, repository } = await aRepository();

    expect(await findLandingBase(repository, branch)).toEqual({ kind: 'branch', branch, sha });
    git(root, 'pack-refs', '--all');
    expect(await findLandingBase(repository, branch)).toEqual({ kind: 'branch', branch, sha });
  });

  it.each([
    ['HEAD', { is: 'head' }],
    ['@', { is: 'head' }],
    ['v1', { is: 'tag' }],
    ['origin/main', { is: 'remote' }],
    ['Main', { is: 'other_case', branch: 'main' }],
    ['feature/x', { is: 'other_case', branch: 'Feature/x' }],
    ['outside', { is: 'symbolic', to: 'refs/remotes/origin/main' }],
    ['dangling', { is: 'nothing' }],
    ['gone', { is: 'nothing' }],
    ['ma*', { is: 'nothing' }],
    ['main~0', { is: 'commit' }],
    ['refs/heads/main', { is: 'commit' }],
    ['../heads/main', { is: 'nothing' }],
    ['-d', { is: 'nothing' }],
    ['', { is: 'nothing' }],
    ['a\0b', { is: 'nothing' }],
    ['x'.repeat(200), { is: 'nothing' }],
  ])('is not %j', async (base, refused) => {
    const { repository } = await aRepository();

    expect(await findLandingBase(repository, base)).toEqual({ kind: 'refused', ...refused });
  });

  it('is no commit, by its id or the beginning of it', async () => {
    const { sha, repository } = await aRepository();

    for (const base of [sha, sha.slice(0, 8)])
      expect(await findLandingBase(repository, base)).toEqual({ kind: 'refused', is: 'commit' });
  });
});
