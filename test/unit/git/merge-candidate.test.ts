import { afterEach, describe, expect, it } from '@jest/globals';
import { assertTreeFits } from '../../../activities/git/refs/tree-size.js';
import { commit, fileAt, goneApart, lines, queueOf } from './merge-fixture.js';
import { git, makeRepository, removeFolders } from './repository-fixture.js';

afterEach(removeFolders);

const FILE = 'part/a.txt';

describe('a candidate', () => {
  it('of two histories is a merge commit, with both files in it, base first', async () => {
    const { root, ours, theirs, candidate } = await goneApart({
      base: { [FILE]: lines() },
      ours: { [FILE]: lines('ours') },
      theirs: { [FILE]: lines('1', 'theirs') },
    });

    const made = await candidate(ours, theirs);

    if (made.kind !== 'made') throw new Error(JSON.stringify(made));
    expect(made.how).toBe('merge');
    expect(fileAt(root, made.tree, FILE)).toBe(lines('ours', 'theirs'));
    expect(git(root, 'show', '--no-patch', '--format=%P|%T|%an|%cn|%at|%ct|%B', made.commit).trim()).toBe(
      `${ours} ${theirs}|${made.tree}|Ada|Ada|1795255203|1795255203|Land it`,
    );
  });

  it('is known to fit where it has the files of its head, and is asked about where it has more', async () => {
    const unasked = {
      try: () => Promise.reject(new Error('git was asked')),
    };
    const root = makeRepository();
    const base = git(root, 'rev-parse', 'HEAD').trim();
    commit(root, { a: 'a' });
    const { candidate } = await queueOf(root);
    const ahead = await candidate(base, commit(root, { b: 'b' }));
    const apart = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    const merged = await apart.candidate(apart.ours, apart.theirs);
    if (ahead.kind !== 'made' || merged.kind !== 'made') throw new Error(`${ahead.kind}, ${merged.kind}`);

    await expect(assertTreeFits(unasked, ahead.commit)).resolves.toBeUndefined();
    await expect(assertTreeFits(unasked, merged.commit)).rejects.toThrow('git was asked');
  });

  it('is the same commit when it is made again, also in another folder', async () => {
    const { root, ours, theirs, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });

    const first = await candidate(ours, theirs);

    expect(first.kind).toBe('made');
    expect(await candidate(ours, theirs)).toEqual(first);
    expect(await (await queueOf(root)).candidate(ours, theirs)).toEqual(first);
  });

  it('of one commit on the base is that commit', async () => {
    const root = makeRepository();
    const ours = git(root, 'rev-parse', 'HEAD').trim();
    const theirs = commit(root, { a: 'a' });

    const made = await (await queueOf(root)).candidate(ours, theirs);

    const tree = git(root, 'rev-parse', `${theirs}^{tree}`).trim();
    expect(made).toEqual({ kind: 'made', how: 'fast_forward', commit: theirs, tree });
  });

  it('by squash is one commit on the base, however many the head has, and nothing of its history', async () => {
    const { root, ours, theirs, candidate } = await goneApart({
      base: { [FILE]: lines() },
      ours: { [FILE]: lines('ours') },
      theirs: { [FILE]: lines('1', 'theirs') },
    });

    const made = await candidate(ours, theirs, { method: 'squash' });

    if (made.kind !== 'made') throw new Error(JSON.stringify(made));
    expect(made.how).toBe('squash');
    expect(git(root, 'show', '--no-patch', '--format=%P', made.commit).trim()).toBe(ours);
    expect(fileAt(root, made.tree, FILE)).toBe(lines('ours', 'theirs'));
    git(root, 'checkout', '--quiet', '--detach', ours);
    git(root, 'merge', '--quiet', '--no-edit', '--no-ff', theirs);
    const merged = git(root, 'rev-parse', 'HEAD').trim();
    expect(await candidate(ours, merged, { isMade: true })).toMatchObject({ how: 'fast_forward', commit: merged });
    expect(await candidate(ours, merged, { isMade: true, method: 'squash' })).toEqual(made);
  });

  describe('by rebase', () => {
    const rebased = { method: 'rebase' } as const;
    const log = (root: string, range: string) =>
      git(root, 'log', '--reverse', '--format=%an|%s|%cn|%P', range).trim().split('\n');

    it('is a line of the commits of the head, each by its author and with its message, and the tree of the merge', async () => {
      const { root, ours, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
      git(root, 'checkout', '--quiet', 'theirs');
      git(root, 'commit', '--quiet', '--amend', '--no-edit', '--author', 'Björn <b@example.org>', '--date', '@7 +0200');
      const first = git(root, 'rev-parse', 'HEAD').trim();
      const theirs = commit(root, { c: 'c' }, 'Zweite: é\n\nWith a body\n');

      const made = await candidate(ours, theirs, rebased);

      if (made.kind !== 'made') throw new Error(JSON.stringify(made));
      expect([made.how, made.tree]).toEqual(['rebase', ((await candidate(ours, theirs)) as typeof made).tree]);
      const middle = git(root, 'rev-parse', `${made.commit}^`).trim();
      expect(log(root, `${ours}..${made.commit}`)).toEqual([`Björn|change|Ada|${ours}`, `Ada|Zweite: é|Ada|${middle}`]);
      expect(git(root, 'show', '--no-patch', '--format=%B', made.commit)).toContain('With a body');
      expect(git(root, 'show', '--no-patch', '--format=%ad', '--date=raw', middle).trim()).toBe('7 +0200');
      expect(git(root, 'ls-tree', '--name-only', middle)).toBe('README.md\na\nb\n');
      expect(await candidate(ours, theirs, rebased)).toEqual(made);
      expect(first).not.toBe(middle);
    });

    it('is the head itself, where it is a line from the base on', async () => {
      const { root, candidate } = await queueOf(makeRepository());
      const ours = git(root, 'rev-parse', 'HEAD').trim();
      commit(root, { a: 'a' });
      const theirs = commit(root, { b: 'b' });

      expect(await candidate(ours, theirs, rebased)).toMatchObject({ how: 'fast_forward', commit: theirs });
    });

    it('has no commit of what the base has by now', async () => {
      const { root, ours, candidate } = await goneApart({ ours: { a: 'a', z: 'z' }, theirs: { a: 'a' } });
      git(root, 'checkout', '--quiet', 'theirs');
      const theirs = commit(root, { b: 'b' }, 'second');

      const made = await candidate(ours, theirs, rebased);

      expect(log(root, `${ours}..${made.kind === 'made' ? made.commit : ''}`)).toEqual([`Ada|second|Ada|${ours}`]);
    });

    it('is one commit, where the head holds a merge', async () => {
      const { root, ours, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
      git(root, 'checkout', '--quiet', 'theirs');
      git(root, 'merge', '--quiet', '--no-edit', 'main');
      const theirs = commit(root, { c: 'c' });

      const made = await candidate(ours, theirs, rebased);

      expect(made).toMatchObject({ kind: 'made', how: 'squash' });
      expect(log(root, `${ours}..${made.kind === 'made' ? made.commit : ''}`)).toEqual([`Ada|Land it|Ada|${ours}`]);
    });

    it('is one commit, where one of the head is in conflict and all of them together are not', async () => {
      const { root, ours, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { a: 'theirs', b: 'b' } });
      git(root, 'checkout', '--quiet', 'theirs');
      const theirs = commit(root, { a: 'a' });

      expect(await candidate(ours, theirs, rebased)).toEqual(await candidate(ours, theirs, { method: 'squash' }));
    });

    it('is in conflict as a merge is', async () => {
      const { ours, theirs, candidate } = await goneApart({ ours: { a: 'ours' }, theirs: { a: 'theirs' } });

      expect(await candidate(ours, theirs, rebased)).toEqual(await candidate(ours, theirs));
      expect(await candidate(ours, theirs, rebased)).toMatchObject({ kind: 'conflict', files: ['a'] });
    });
  });

  it('of two commits on the base is a merge commit', async () => {
    const root = makeRepository();
    const ours = git(root, 'rev-parse', 'HEAD').trim();
    commit(root, { a: 'a' });
    const theirs = commit(root, { b: 'b' });

    const made = await (await queueOf(root)).candidate(ours, theirs);

    expect(made).toMatchObject({ how: 'merge', tree: git(root, 'rev-parse', `${theirs}^{tree}`).trim() });
  });

  it('of one commit that is a merge of the base is a merge commit', async () => {
    const { root, ours, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    git(root, 'merge', '--quiet', '--no-edit', 'theirs');

    expect(await candidate(ours, git(root, 'rev-parse', 'HEAD').trim())).toMatchObject({ how: 'merge' });
  });

  it('is none where the base has the head already', async () => {
    const { root, candidate } = await queueOf(makeRepository());
    const theirs = git(root, 'rev-parse', 'HEAD').trim();
    const ours = commit(root, { a: 'a' });

    expect(await candidate(ours, theirs)).toEqual({ kind: 'present' });
    expect(await candidate(ours, ours)).toEqual({ kind: 'present' });
  });

  it('is none where the merge would change nothing', async () => {
    const { ours, theirs, candidate } = await goneApart({ ours: { a: 'a', b: 'b' }, theirs: { a: 'a' } });

    expect(await candidate(ours, theirs)).toEqual({ kind: 'nothing' });
  });

  it('is none where the one commit on the base is empty', async () => {
    const { root, candidate } = await queueOf(makeRepository());
    const ours = git(root, 'rev-parse', 'HEAD').trim();

    expect(await candidate(ours, commit(root, {}))).toEqual({ kind: 'nothing' });
  });

  it('writes no ref, and leaves the checkout alone', async () => {
    const { root, ours, theirs, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    const before = git(root, 'for-each-ref');

    await candidate(ours, theirs);

    expect(git(root, 'for-each-ref')).toBe(before);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  it('of a head that was made on a squash takes the tree of that squash as base of the merge', async () => {
    // Two runs in a queue: the second began at the first one's squash, which was made anew since, on a base that moved.
    const { root, candidate } = await queueOf(makeRepository({ [FILE]: lines() }));
    const base = git(root, 'rev-parse', 'HEAD').trim();
    const squash = commit(root, { [FILE]: lines('first') });
    const theirs = commit(root, { [FILE]: lines('second') });
    git(root, 'checkout', '--quiet', '--detach', base);
    commit(root, { other: 'o' });
    const ours = commit(root, { [FILE]: lines('first') });

    expect((await candidate(ours, theirs)).kind).toBe('conflict');
    const made = await candidate(ours, theirs, { madeOn: squash });

    if (made.kind !== 'made') throw new Error(JSON.stringify(made));
    expect(fileAt(root, made.tree, FILE)).toBe(lines('second'));
    expect(git(root, 'show', '--no-patch', '--format=%P', made.commit).trim()).toBe(`${ours} ${theirs}`);
    expect(await candidate(ours, theirs, { madeOn: squash })).toEqual(made);
  });

  it.each(['HEAD', '--all', '', 'a'.repeat(39)])('is none of what is no commit id: %j', async (name) => {
    const { ours, theirs, candidate } = await goneApart({ ours: { a: 'a' }, theirs: { b: 'b' } });
    const refused = { kind: 'refused', why: `${JSON.stringify(name)} is no commit id` };

    expect(await candidate(name, theirs)).toEqual(refused);
    expect(await candidate(ours, name)).toEqual(refused);
    expect(await candidate(ours, theirs, { madeOn: name })).toEqual(refused);
  });
});
