import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { countLost, deleteRefs, listRunRefs } from '../../../activities/git/refs/run-refs.js';
import { queueName } from '../../../protocol/actors/merge-queue.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

/** A repository in which run-1 has a branch one commit ahead of main, and a head ref there. */
async function aRepository() {
  const root = makeRepository();
  const main = git(root, 'rev-parse', 'main').trim();
  const tip = git(root, 'commit-tree', '-p', main, '-m', 'change', `${main}^{tree}`).trim();
  for (const ref of ['refs/heads/sluice/run-1', 'refs/sluice/run-1/head']) git(root, 'update-ref', ref, tip);
  const repository = await findRepository(root);
  return { root, main, tip, repository, run: { repository, runId: 'run-1', branch: 'sluice/run-1' } };
}

const refs = (root: string) => git(root, 'for-each-ref', '--format=%(refname)').trim().split('\n');

describe('the refs of a run', () => {
  it('are removed all or none: one that moved since it was seen keeps them all', async () => {
    const { root, main, repository, run } = await aRepository();
    const seen = await listRunRefs(run);
    git(root, 'update-ref', 'refs/sluice/run-1/head', main);

    expect(await deleteRefs(repository, seen)).toBe('moved');
    expect(refs(root)).toHaveLength(3);

    expect(await deleteRefs(repository, await listRunRefs(run))).toBe('deleted');
    expect(refs(root)).toEqual(['refs/heads/main']);
  });

  it('are waited for while somebody else holds a lock', async () => {
    const { root, repository, run } = await aRepository();
    const seen = await listRunRefs(run);
    const lock = `${repository.commonDir}/refs/heads/sluice/run-1.lock`;
    writeFileSync(lock, '');

    const deleted = deleteRefs(repository, seen);
    setTimeout(() => rmSync(lock), 60);

    expect(await deleted).toBe('deleted');
    expect(refs(root)).toEqual(['refs/heads/main']);
  });

  it('are not followed: a branch that an agent made a name of main goes, and main stays', async () => {
    const { root, main, repository, run } = await aRepository();
    git(root, 'symbolic-ref', 'refs/heads/sluice/run-1', 'refs/heads/main');

    expect(await deleteRefs(repository, await listRunRefs(run))).toBe('deleted');

    expect(git(root, 'rev-parse', 'main').trim()).toBe(main);
    expect(refs(root)).toEqual(['refs/heads/main']);
  });

  it('are no reason by themselves to keep a commit, nor is a worktree that stands on the branch, nor a merge queue', async () => {
    const { root, main, tip, run } = await aRepository();
    git(root, 'worktree', 'add', '--quiet', `${root}-worktree`, 'sluice/run-1');

    expect(await countLost(run, [tip])).toBe(1);
    expect(await countLost(run, [main])).toBe(0);
    git(root, 'update-ref', `refs/sluice/${queueName({ repoKey: 'local', branch: 'main' })}/tip`, tip);
    expect(await countLost(run, [tip])).toBe(1);
    git(root, 'tag', 'kept', tip);
    expect(await countLost(run, [tip])).toBe(0);
  });
});
