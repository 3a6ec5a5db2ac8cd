/** Merges that a person must look at, and repositories that do not give what a merge needs. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeCandidate } from '../../../activities/git/merge/make-candidate.js';
import { openQueueGit } from '../../../activities/git/merge/open-queue-git.js';
import { readAncestry } from '../../../activities/git/refs/read-ancestry.js';
import { type Apart, commit, goneApart, IDENTITY, lines, queueOf } from './merge-fixture.js';
import { git, makeRepository, removeFolders, tempFolder, write } from './repository-fixture.js';

afterEach(removeFolders);

const conflicts: readonly [string, Apart, readonly string[], RegExp][] = [
  ['the same line', { ours: { a: 'o\n' }, theirs: { a: 't\n' } }, ['a'], /CONFLICT \(add\/add\)/],
  [
    'a file that one side deleted',
    { base: { a: lines(), b: 'b' }, ours: { a: null }, theirs: { a: lines('t') } },
    ['a'],
    /modify\/delete/,
  ],
  [
    'a file that both moved elsewhere',
    { base: { a: lines() }, ours: { a: null, b: lines() }, theirs: { a: null, c: lines() } },
    ['a', 'b', 'c'],
    /rename\/rename/,
  ],
  [
    'a file where the other has a folder',
    { base: { x: 'x' }, ours: { a: 'file' }, theirs: { 'a/b': 'below' } },
    [expect.stringMatching(/^a~/) as unknown as string],
    /file\/directory/,
  ],
  [
    'files of hostile names',
    {
      ours: { 'new\nline': 'o\n', '"quoted"\t': 'o\n', '🎉': 'o\n' },
      theirs: { 'new\nline': 't\n', '"quoted"\t': 't\n', '🎉': 't\n' },
    },
    ['"quoted"\t', 'new\nline', '🎉'],
    /CONFLICT/,
  ],
];

describe('a conflict', () => {
  it.each(conflicts)('is one in %s', async (_, apart, files, why) => {
    const { ours, theirs, candidate } = await goneApart(apart);

    expect(await candidate(ours, theirs)).toEqual({
      kind: 'conflict',
      files,
      fileCount: files.length,
      why: expect.stringMatching(why),
    });
  });

  it('names so many files as a person reads, each by the beginning of a long name, and says how many there are', async () => {
    const name = (n: number) => `${n}-${'é'.repeat(120)}`;
    const all = (text: string) => Object.fromEntries(Array.from({ length: 70 }, (_, n) => [name(n + 10), `${text}\n`]));
    const { ours, theirs, candidate } = await goneApart({ ours: all('o'), theirs: all('t') });

    const conflict = await candidate(ours, theirs);

    if (conflict.kind !== 'conflict') throw new Error(conflict.kind);
    expect([conflict.files.length, conflict.fileCount]).toEqual([50, 70]);
    expect(conflict.files[0]).toBe(`10-${'é'.repeat(98)}…`);
  });

  it('is one of a name that is no UTF-8, too', async () => {
    const { root, candidate } = await queueOf(makeRepository());
    const base = git(root, 'rev-parse', 'HEAD').trim();
    const [ours, theirs] = ['o', 't'].map((text) => {
      git(root, 'checkout', '--quiet', '--detach', base);
      write(root, 'x', text);
      git(root, 'add', 'x');
      // A file system may refuse the name, a tree does not.
      git(
        root,
        '-c',
        'alias.odd=!printf "100644 $(git rev-parse :x)\\tbad-\\377\\n" | git update-index --index-info',
        'odd',
      );
      git(root, 'rm', '--quiet', '--cached', 'x');
      git(root, 'commit', '--quiet', '--message', text);
      git(root, 'reset', '--quiet', '--hard');
      return git(root, 'rev-parse', 'HEAD').trim();
    });

    expect(await candidate(ours ?? '', theirs ?? '')).toMatchObject({ kind: 'conflict', files: ['bad-\ufffd'] });
  });

  it('is one of a submodule that both sides moved, and none where one did', async () => {
    const module = makeRepository();
    const [one, two] = [commit(module, { s: '1' }), commit(module, { s: '2' })];
    const { root, candidate } = await queueOf(makeRepository());
    const base = git(root, 'rev-parse', 'HEAD').trim();
    const at = (sha: string | null) => {
      git(root, 'checkout', '--quiet', '--detach', base);
      if (sha !== null) git(root, 'update-index', '--add', '--cacheinfo', `160000,${sha},module`);
      else return commit(root, { other: 'o' });
      git(root, 'commit', '--quiet', '--message', sha);
      return git(root, 'rev-parse', 'HEAD').trim();
    };
    const [ours, theirs, other] = [at(one), at(two), at(null)];

    expect(await candidate(ours, theirs)).toMatchObject({ kind: 'conflict', files: ['module'] });
    expect(await candidate(other, theirs)).toMatchObject({ kind: 'made', how: 'merge' });
  });
});

describe('a repository', () => {
  it('whose histories have nothing in common is told so', async () => {
    const { root, candidate } = await queueOf(makeRepository());
    const ours = git(root, 'rev-parse', 'HEAD').trim();
    git(root, 'checkout', '--quiet', '--orphan', 'other');
    const theirs = commit(root, { a: 'a' });

    expect(await candidate(ours, theirs)).toEqual({ kind: 'unrelated' });
  });

  it('that is shallow merges what begins behind its edge, and knows nothing of what lies before it', async () => {
    const origin = makeRepository({ a: 'a' });
    const before = commit(origin, { b: 'b' });
    const edge = commit(origin, { c: 'c' });
    git(origin, 'checkout', '--quiet', '-b', 'side', before);
    const side = commit(origin, { s: 's' });
    git(origin, 'checkout', '--quiet', 'main');
    const root = join(tempFolder(), 'shallow');
    git(origin, 'clone', '--quiet', '--depth=1', '--no-single-branch', `file://${origin}`, root);
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'a@b'],
    ] as const)
      git(root, 'config', key, value);
    const ours = commit(root, { d: 'd' });
    git(root, 'checkout', '--quiet', '--detach', edge);
    const theirs = commit(root, { e: 'e' });
    const { candidate, repository, folder } = await queueOf(root);

    expect(await candidate(ours, theirs)).toMatchObject({ kind: 'made', how: 'merge' });
    expect(await readAncestry(repository, edge, ours)).toBe('ancestor');
    expect(await candidate(ours, side)).toEqual({ kind: 'unrelated' });
    expect(await readAncestry(repository, before, ours)).toBe('unreadable');

    git(root, 'fetch', '--quiet', '--unshallow');
    const queue = await openQueueGit({ repository, folder });
    const request = {
      ours,
      theirs: side,
      madeOn: null,
      method: 'merge' as const,
      isMade: false,
      message: 'm',
      claimedAt: '2026-11-21T10:00:03Z',
      identity: IDENTITY,
    };
    expect(await makeCandidate(queue, request)).toMatchObject({ kind: 'made', how: 'merge' });
  });

  it('that is partial is refused at the first object that is not there, without a fetch', async () => {
    const origin = makeRepository({ a: lines() });
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    git(origin, 'checkout', '--quiet', '-b', 'theirs');
    const theirs = commit(origin, { a: lines('t') });
    git(origin, 'checkout', '--quiet', 'main');
    const ours = commit(origin, { a: lines('1', 'o') });
    const root = join(tempFolder(), 'partial');
    git(origin, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${origin}`, root);

    const { candidate } = await queueOf(root);

    expect(await candidate(ours, theirs)).toEqual({ kind: 'refused', why: expect.stringMatching(/unable to read/) });
  });

  it.each(['tree', 'parent', 'head'] as const)(
    'without an object (%s) is refused, not taken for another history',
    async (which) => {
      const { root, ours, theirs, candidate } = await goneApart({
        base: { 'part/a': lines() },
        ours: { 'part/a': lines('o') },
        theirs: { 'part/a': lines('1', 't') },
      });
      const name = { tree: `${theirs}:part`, parent: `${theirs}~1`, head: theirs }[which];
      const id = git(root, 'rev-parse', name).trim();
      rmSync(join(root, '.git/objects', id.slice(0, 2), id.slice(2)));

      expect(await candidate(ours, theirs)).toMatchObject({ kind: 'refused' });
    },
  );

  it('without a commit on the way to what both come from is refused, not taken for another history', async () => {
    const { root, ours, theirs, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    const last = commit(root, { c: 'c' });
    rmSync(join(root, '.git/objects', ours.slice(0, 2), ours.slice(2)));

    expect(await candidate(last, theirs)).toMatchObject({ kind: 'refused' });
  });

  it('is not merged with a head that stands for more files than anybody has', async () => {
    const { root, ours, theirs, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    // So that the list is too long at its first few thousand names.
    const long = 'x'.repeat(240);
    const ten = (entry: string) => {
      const input = Array.from({ length: 10 }, (_, n) => `${entry}${n}${long}\n`).join('');
      return execFileSync('git', ['-C', root, 'mktree'], { input, encoding: 'utf8' }).trim();
    };
    let tree = ten(`100644 blob ${git(root, 'rev-parse', `${theirs}:b`).trim()}\tf`);
    for (let level = 1; level < 10; level += 1) tree = ten(`040000 tree ${tree}\td`);
    const bomb = git(root, 'commit-tree', tree, '-p', theirs, '-m', 'bomb').trim();

    expect(await candidate(ours, bomb)).toEqual({ kind: 'refused', why: expect.stringMatching(/more files than any/) });
  });

  it('without a commit on the way says of no commit that it is no ancestor', async () => {
    const { root, repository } = await queueOf(makeRepository());
    const first = git(root, 'rev-parse', 'HEAD').trim();
    const gone = commit(root, { a: 'a' });
    const last = commit(root, { b: 'b' });
    expect(await readAncestry(repository, first, last)).toBe('ancestor');
    expect(await readAncestry(repository, last, last)).toBe('ancestor');
    expect(await readAncestry(repository, last, first)).toBe('no_ancestor');

    rmSync(join(root, '.git/objects', gone.slice(0, 2), gone.slice(2)));

    expect(await readAncestry(repository, first, last)).toBe('unreadable');
    expect(await readAncestry(repository, 'f'.repeat(40), last)).toBe('unreadable');
  });

  it('of SHA-256 merges, by the attributes of its base', async () => {
    const root = join(tempFolder(), 'sha256');
    git(tempFolder(), 'init', '--quiet', '--initial-branch=main', '--object-format=sha256', root);
    commit(root, { a: lines(), '.gitattributes': 'a -merge\n' });
    git(root, 'checkout', '--quiet', '-b', 'theirs');
    const theirs = commit(root, { a: lines('1', 't') });
    git(root, 'checkout', '--quiet', 'main');
    const ours = commit(root, { a: lines('o') });

    const { candidate, queue } = await queueOf(root);

    expect(await candidate(ours, theirs)).toMatchObject({ kind: 'conflict', files: ['a'] });
    expect(readdirSync(queue.workTree)).toHaveLength(1);
  });
});
