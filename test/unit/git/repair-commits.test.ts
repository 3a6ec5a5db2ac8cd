import { afterEach, describe, expect, it } from '@jest/globals';
import { findUnresolved, makeRepairStart, remakeHead } from '../../../activities/git/merge/repair-commits.js';
import { commit, fileAt, goneApart, lines } from './merge-fixture.js';
import { git, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

const AT = '2026-11-21T10:00:03.120Z';
const [FILE, OTHER] = ['part/a.txt', 'b.txt'];

async function inConflict() {
  const at = await goneApart({
    base: { [FILE]: lines(), [OTHER]: 'same\n' },
    ours: { [FILE]: lines('ours') },
    theirs: { [FILE]: lines('theirs') },
  });
  const start = await makeRepairStart(at.queue, at, AT);
  if (start.kind !== 'start') throw new Error(start.kind);
  git(at.root, 'checkout', '--quiet', start.commit);
  return { ...at, start };
}

describe('where a repair begins', () => {
  it('is a merge of both sides with what they disagree about between markers, the same commit each time', async () => {
    const { root, queue, ours, theirs, start } = await inConflict();

    expect(start.conflicted).toEqual([FILE]);
    expect(fileAt(root, start.commit, FILE)).toContain('<<<<<<<');
    expect(git(root, 'show', '--no-patch', '--format=%P', start.commit).trim()).toBe(`${ours} ${theirs}`);
    expect(await makeRepairStart(queue, { ours, theirs }, AT)).toEqual(start);
  });
});

describe('what lands of a repair', () => {
  it('has its tree and the two sides as parents, so that no commit with markers comes along', async () => {
    const { root, queue, ours, theirs, start, candidate } = await inConflict();
    commit(root, { [FILE]: lines('both, first') });
    const head = commit(root, { [FILE]: lines('both') });

    const remade = await remakeHead(queue, { head, start: start.commit, message: 'Merge it\n', at: AT });

    expect(git(root, 'show', '--no-patch', '--format=%P|%B', remade).trim()).toBe(`${ours} ${theirs}|Merge it`);
    expect(fileAt(root, remade, FILE)).toBe(lines('both'));
    expect(await candidate(ours, remade, { isMade: true })).toMatchObject({
      kind: 'made',
      how: 'fast_forward',
      commit: remade,
    });
  });

  it('is the head itself where it did not begin at a merge', async () => {
    const { root, queue, ours } = await inConflict();
    const head = commit(root, { [OTHER]: 'more\n' });

    expect(await remakeHead(queue, { head, start: null, message: 'x', at: AT })).toBe(head);
    expect(await remakeHead(queue, { head, start: ours, message: 'x', at: AT })).toBe(head);
  });
});

describe('what a repair made of a conflict', () => {
  it.each([
    ['may land with something of both sides', { [FILE]: lines('ours and theirs') }, null],
    [
      'changed another file',
      { [FILE]: lines('both'), [OTHER]: 'more\n' },
      { why: 'it changed files that were not in conflict', files: [OTHER] },
    ],
    ['left it as it was', { [OTHER]: 'same\n' }, { why: 'conflict markers are left', files: [FILE] }],
    ['left one marker', { [FILE]: lines('both\n>>>>>>> theirs') }, { why: 'conflict markers are left', files: [FILE] }],
    [
      'left one that an attribute makes longer',
      { [FILE]: lines(`both\n${'<'.repeat(32)} ours`) },
      { why: 'conflict markers are left', files: [FILE] },
    ],
    ['took one side', { [FILE]: lines('ours') }, { why: 'nothing of one side is left', files: [FILE] }],
    ['took the other', { [FILE]: lines('theirs') }, { why: 'nothing of one side is left', files: [FILE] }],
    ['may land without the file, which neither side wanted so', { [FILE]: null }, null],
  ])('%s', async (_, files, left) => {
    const { root, queue, start } = await inConflict();
    const head = commit(root, files);

    expect(await findUnresolved(queue, { start: start.commit, head })).toEqual(left);
  });

  it('is nothing to look at where both sides merged', async () => {
    const at = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    const start = await makeRepairStart(at.queue, at, AT);
    if (start.kind !== 'start') throw new Error(start.kind);
    git(at.root, 'checkout', '--quiet', start.commit);

    expect(start.conflicted).toEqual([]);
    expect(await findUnresolved(at.queue, { start: start.commit, head: commit(at.root, { c: 'c' }) })).toBeNull();
  });
});
