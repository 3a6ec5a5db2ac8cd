/** A run that began behind a link of a chain lands behind that link as it was made anew, and never brings back what was taken out. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { isMadeAnew } from '../../../activities/git/merge/made-anew.js';
import { commit, fileAt, queueOf } from './merge-fixture.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

/** `old`: of the base of before and the head; `now`: the same on the base as it is. */
async function movedBase() {
  const root = makeRepository({ 'a.txt': 'one\n' });
  git(root, 'checkout', '--quiet', '-b', 'head');
  commit(root, { 'head.txt': 'first\n' });
  const head = commit(root, { 'head.txt': 'head\n' });
  const at = await queueOf(root);
  const candidateOn = async (base: string, theirs: string) => {
    const made = await at.candidate(base, theirs);
    if (made.kind !== 'made') throw new Error(made.kind);
    return made.commit;
  };
  const old = await candidateOn(git(root, 'rev-parse', 'main').trim(), head);
  git(root, 'checkout', '--quiet', 'main');
  const base = commit(root, { 'mine.txt': 'mine\n' });
  return { ...at, head, old, base, now: await candidateOn(base, head), candidateOn };
}

describe('a link of a chain that was made anew', () => {
  it('is known by what was merged into it, and what was made on it comes alone', async () => {
    const { root, queue, old, now, candidate } = await movedBase();
    git(root, 'checkout', '--quiet', old);
    const behind = commit(root, { 'behind.txt': 'behind\n', 'head.txt': 'head, changed\n' });

    expect(await isMadeAnew(queue, { link: old, on: now })).toBe(true);
    const landed = await candidate(now, behind, { madeOn: old });

    if (landed.kind !== 'made') throw new Error(landed.kind);
    const names = git(root, 'ls-tree', '--name-only', landed.commit).trim().split('\n');
    expect(names).toEqual(['a.txt', 'behind.txt', 'head.txt', 'mine.txt']);
    expect(fileAt(root, landed.tree, 'head.txt')).toBe('head, changed\n');
  });

  it('is known through several links', async () => {
    const { root, queue, old, now, candidateOn } = await movedBase();
    git(root, 'checkout', '--quiet', '-b', 'other', 'main~1');
    commit(root, { 'other.txt': 'first\n' });
    const other = commit(root, { 'other.txt': 'other\n' });
    const second = await candidateOn(old, other);

    expect(await isMadeAnew(queue, { link: second, on: await candidateOn(now, other) })).toBe(true);
    // The second link is not there any more.
    expect(await isMadeAnew(queue, { link: second, on: now })).toBe(false);
  });

  it('is none where what was merged is not there, where somebody put something of their own into it, or where it is no merge', async () => {
    const { root, queue, old, now, head, base } = await movedBase();
    git(root, 'checkout', '--quiet', old);
    git(root, 'rm', '--quiet', 'a.txt');
    git(root, 'commit', '--quiet', '--amend', '--no-edit');
    const evil = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'checkout', '--quiet', old);
    const plain = commit(root, { 'c.txt': 'c\n' });

    expect(await isMadeAnew(queue, { link: old, on: base })).toBe(false);
    expect(await isMadeAnew(queue, { link: evil, on: now })).toBe(false);
    expect(await isMadeAnew(queue, { link: plain, on: now })).toBe(false);
    expect(await isMadeAnew(queue, { link: head, on: base })).toBe(false);
    expect(await isMadeAnew(queue, { link: 'f'.repeat(40), on: now })).toBe(false);
  });
});
