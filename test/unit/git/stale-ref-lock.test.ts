/** Locks that a killed git left on the refs of a run: waited out, never taken from a git that works. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { moveRefs } from '../../../activities/git/refs/run-branch.js';
import { deleteRefs } from '../../../activities/git/refs/run-refs.js';
import { removeStaleLocks } from '../../../activities/git/start/stale-ref-lock.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

const BRANCH = 'refs/heads/sluice/run-1';
const IDENTITY = { name: 'Test Person', email: 'person@example.invalid' };

async function aBranch() {
  const root = makeRepository();
  const main = git(root, 'rev-parse', 'main').trim();
  const tip = git(root, 'commit-tree', '-p', main, '-m', 'change', `${main}^{tree}`).trim();
  git(root, 'update-ref', BRANCH, main);
  const repository = await findRepository(root);
  return { root, main, tip, repository, lock: `${repository.commonDir}/${BRANCH}.lock` };
}

describe('a lock that a killed git left on the branch of a run', () => {
  it('is removed once it has not changed for a while, and the branch moves', async () => {
    const { root, main, tip, repository, lock } = await aBranch();
    writeFileSync(lock, tip);

    const moved = await moveRefs(repository, [{ ref: BRANCH, from: main, to: tip }], {
      identity: IDENTITY,
      staleAfterMs: 50,
    });

    expect(moved).toBe('moved');
    expect(git(root, 'rev-parse', BRANCH).trim()).toBe(tip);
    expect(existsSync(lock)).toBe(false);
  });

  it('does not keep the branch from being removed either', async () => {
    const { root, repository, main, lock } = await aBranch();
    writeFileSync(lock, '');

    expect(await deleteRefs(repository, [{ ref: BRANCH, sha: main }], 50)).toBe('deleted');

    expect(git(root, 'for-each-ref', BRANCH)).toBe('');
  });

  it('is left to a git that takes it anew meanwhile', async () => {
    const { repository, lock } = await aBranch();
    writeFileSync(lock, 'one');

    // Again and again, since nothing tells when it was looked at first; there is one at every moment.
    const taking = setInterval(() => {
      writeFileSync(`${lock}.new`, 'another');
      renameSync(`${lock}.new`, lock);
    }, 20);
    const removed = await removeStaleLocks(repository.commonDir, [BRANCH], 100);
    clearInterval(taking);

    expect(removed).toBe(false);
    expect(existsSync(lock)).toBe(true);
  });

  it('costs nothing where there is none', async () => {
    const { repository } = await aBranch();

    expect(await removeStaleLocks(repository.commonDir, [BRANCH], 2 ** 30)).toBe(false);
  });
});
