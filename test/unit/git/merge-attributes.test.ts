/** What the attribute files of a base say of a merge, each as it was tried on git 2.39. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { placeAttributes } from '../../../activities/git/merge/base-attributes.js';
import { type Apart, commit, fileAt, goneApart, lines, queueOf } from './merge-fixture.js';
import { canaryProgram, git, makeRepository, removeFolders, tempFolder, write } from './repository-fixture.js';

afterEach(removeFolders);

const FILE = 'part/a.txt';

/** Both sides change other lines of one file. */
const both = (attributes: Readonly<Record<string, string>>): Apart => ({
  base: { [FILE]: lines(), ...attributes },
  ours: { [FILE]: lines('ours') },
  theirs: { [FILE]: lines('1', 'theirs') },
});

/** Git's own merge, without attribute files in sight. */
const bare = (root: string, ours: string, theirs: string) =>
  git(root, `--git-dir=${root}/.git`, '-C', tempFolder(), 'merge-tree', '--write-tree', ours, theirs).trim();

describe('a file that both sides changed', () => {
  it('and that is marked -merge is a conflict, which git alone merges in silence', async () => {
    const { root, ours, theirs, candidate } = await goneApart(both({ 'part/.gitattributes': 'a.txt -merge\n' }));

    expect(fileAt(root, bare(root, ours, theirs), FILE)).toBe(lines('ours', 'theirs'));
    expect(await candidate(ours, theirs)).toMatchObject({ kind: 'conflict', files: [FILE], fileCount: 1 });
  });

  it('and that is marked union has the lines of both, which git alone calls a conflict', async () => {
    const { root, ours, theirs, candidate } = await goneApart({
      base: { [FILE]: 'one\n', '.gitattributes': '*.txt merge=union\n' },
      ours: { [FILE]: 'one\nours\n' },
      theirs: { [FILE]: 'one\ntheirs\n' },
    });

    expect(() => bare(root, ours, theirs)).toThrow(expect.objectContaining({ status: 1 }));
    const made = await candidate(ours, theirs);

    expect(made.kind === 'made' && fileAt(root, made.tree, FILE)).toBe('one\nours\ntheirs\n');
  });

  it('and that has a merge driver of its own is a conflict, which git alone merges as text', async () => {
    const { root, ours, theirs, candidate } = await goneApart(both({ '.gitattributes': '*.txt merge=po\n' }));

    expect(fileAt(root, bare(root, ours, theirs), FILE)).toBe(lines('ours', 'theirs'));
    expect(await candidate(ours, theirs)).toEqual({
      kind: 'conflict',
      files: [FILE],
      fileCount: 1,
      why: 'only the merge driver "po" merges it, which is not started here',
    });
  });

  it.each(['*.txt merge', '*.txt merge=text', '*.txt text', '*.md merge=po'])(
    'merges by lines with: %s',
    async (line) => {
      const { root, ours, theirs, candidate } = await goneApart(both({ '.gitattributes': `${line}\n` }));

      const made = await candidate(ours, theirs);

      expect(made.kind === 'made' && fileAt(root, made.tree, FILE)).toBe(lines('ours', 'theirs'));
    },
  );

  it('and that has a driver which a person or an agent configured starts no program, which the repository itself would', async () => {
    const { root, ours, theirs } = await goneApart(both({ '.gitattributes': '*.txt merge=po\n' }));
    const { program, canary } = canaryProgram(tempFolder());
    git(root, 'config', 'merge.po.driver', `${program} %A`);

    expect((await (await queueOf(root)).candidate(ours, theirs)).kind).toBe('conflict');
    expect(existsSync(canary)).toBe(false);

    git(root, 'merge-tree', '--write-tree', ours, theirs);
    expect(existsSync(canary)).toBe(true);
  });
});

describe('a file with a merge driver of its own', () => {
  it('is no conflict where one side alone changed it', async () => {
    const { ours, theirs, candidate } = await goneApart({
      base: { [FILE]: lines(), '.gitattributes': '*.txt merge=po\n' },
      ours: { other: 'o' },
      theirs: { [FILE]: lines('theirs') },
    });

    expect((await candidate(ours, theirs)).kind).toBe('made');
  });

  it('is known by its new name where one side moved it', async () => {
    const { ours, theirs, candidate } = await goneApart({
      base: { [FILE]: lines(), '.gitattributes': 'moved.txt merge=po\n' },
      ours: { [FILE]: null, 'moved.txt': lines() },
      theirs: { [FILE]: lines('theirs') },
    });
    const other = await goneApart({
      base: { [FILE]: lines(), '.gitattributes': 'moved.txt merge=po\n' },
      ours: { [FILE]: null, 'moved.txt': lines('ours') },
      theirs: { [FILE]: lines('1', 'theirs') },
    });

    expect((await candidate(ours, theirs)).kind).toBe('made');
    expect(await other.candidate(other.ours, other.theirs)).toMatchObject({ kind: 'conflict', files: ['moved.txt'] });
  });
});

describe('the attribute files', () => {
  it('are those of the base as it is now, not of the head nor of an earlier base', async () => {
    const { root, ours, theirs, candidate } = await goneApart(both({ '.gitattributes': '*.txt -merge\n' }));
    expect((await candidate(ours, theirs)).kind).toBe('conflict');
    const freed = commit(root, { '.gitattributes': null });
    expect((await candidate(freed, theirs)).kind).toBe('made');

    const bound = commit(root, { 'part/.gitattributes': 'a.txt merge=binary\n' });
    expect((await candidate(bound, theirs)).kind).toBe('conflict');
    expect((await candidate(freed, theirs)).kind).toBe('made');
  });

  it('that the repository has for itself count too, as they were when the queue began', async () => {
    const repository = makeRepository({ [FILE]: lines() });
    write(repository, '.git/info/attributes', '*.txt -merge\n');
    const head = commit(repository, { [FILE]: lines('theirs') });
    git(repository, 'reset', '--quiet', '--hard', 'HEAD~1');
    const base = commit(repository, { [FILE]: lines('1', 'ours') });
    const queue = await queueOf(repository);
    write(repository, '.git/info/attributes', '');

    expect((await queue.candidate(base, head)).kind).toBe('conflict');
  });

  it('are written once for all bases that have the same', async () => {
    const { root, queue } = await queueOf(
      makeRepository({ '.gitattributes': '*.a text\n', 'x/.gitattributes': 'b\n' }),
    );
    const first = await placeAttributes(queue, git(root, 'rev-parse', 'HEAD').trim());
    const second = await placeAttributes(queue, commit(root, { other: 'o' }));

    expect(second).toBe(first);
    expect(new Set(readdirSync(first, { recursive: true, encoding: 'utf8' }))).toEqual(
      new Set(['.gitattributes', 'x', 'x/.gitattributes']),
    );
    expect(readdirSync(queue.workTree)).toHaveLength(1);
  });

  it('are placed whole by each of several at once', async () => {
    const { root, queue } = await queueOf(makeRepository({ '.gitattributes': 'a\n', 'x/.gitattributes': 'b\n' }));
    const [old, now] = [git(root, 'rev-parse', 'HEAD').trim(), commit(root, { 'x/.gitattributes': 'c\n' })];

    const folders = await Promise.all([old, now, old, now].map((sha) => placeAttributes(queue, sha)));

    expect(folders.map((folder) => readFileSync(join(folder, 'x/.gitattributes'), 'utf8'))).toEqual([
      'b\n',
      'c\n',
      'b\n',
      'c\n',
    ]);
    expect(readdirSync(queue.workTree)).toHaveLength(2);
  });

  it('are found for folders and files of any name, and by bytes that are no UTF-8', async () => {
    const name = 'new\nline/"q" 🎉.txt';
    const { ours, theirs, candidate } = await goneApart({
      base: { [name]: lines(), 'new\nline/.gitattributes': '*🎉* merge=po\n' },
      ours: { [name]: lines('ours') },
      theirs: { [name]: lines('1', 'theirs') },
    });
    expect(await candidate(ours, theirs)).toMatchObject({ kind: 'conflict', files: [name] });

    const { root, queue } = await queueOf(makeRepository());
    const tree = handMade(root, [
      { mode: '100644', name: Buffer.from('.gitattributes'), text: Buffer.from([0xff, 10]) },
    ]);
    const outer = handMade(root, [{ mode: '40000', name: Buffer.from([0x62, 0xfe]), tree }]);
    const folder = await placeAttributes(queue, git(root, 'commit-tree', outer, '-m', 'odd').trim());
    const path = Buffer.concat([Buffer.from(`${folder}/b`), Buffer.from([0xfe]), Buffer.from('/.gitattributes')]);
    expect(readFileSync(path)).toEqual(Buffer.from([0xff, 10]));
  });

  it('are written nowhere else, and a link in the place of one is none, as for git', async () => {
    const { root, queue } = await queueOf(makeRepository());
    const file = handMade(root, [{ mode: '100644', name: Buffer.from('.gitattributes'), text: Buffer.from('x') }]);
    const link = { mode: '120000', name: Buffer.from('.gitattributes'), text: Buffer.from('/etc/passwd') };
    const tree = handMade(root, [{ mode: '40000', name: Buffer.from('..'), tree: file }, link]);
    const inGit = handMade(root, [{ mode: '40000', name: Buffer.from('.GIT'), tree: file }]);

    for (const hostile of [tree, inGit]) {
      const folder = await placeAttributes(queue, git(root, 'commit-tree', hostile, '-m', 'odd').trim());
      expect(readdirSync(folder)).toEqual([]);
    }
    expect(readdirSync(queue.workTree)).toHaveLength(2);
    expect(readdirSync(join(queue.workTree, '..')).sort()).toEqual(['attributes', 'git']);
  });

  it('are refused in a number or size that no repository has', async () => {
    const { root, ours, theirs, candidate } = await goneApart(both({}));
    const many = Object.fromEntries(Array.from({ length: 2001 }, (_, n) => [`${n}/.gitattributes`, 'a\n']));
    const large = commit(root, { '.gitattributes': `${'# comment\n'.repeat(1_700_000)}` });
    expect(await candidate(large, theirs)).toEqual({
      kind: 'refused',
      why: expect.stringMatching(/more than 16777216/),
    });
    git(root, 'checkout', '--quiet', '--detach', ours);
    expect(await candidate(commit(root, many), theirs)).toEqual({
      kind: 'refused',
      why: expect.stringMatching(/more than 2000 files/),
    });
  });
});

type Entry = { readonly mode: string; readonly name: Buffer } & ({ readonly text: Buffer } | { readonly tree: string });

/** A tree of any names, which git itself would not make. */
function handMade(root: string, entries: readonly Entry[]): string {
  const hash = (type: string, input: Buffer) =>
    execFileSync('git', ['-C', root, 'hash-object', '-w', '--literally', '-t', type, '--stdin'], { input })
      .toString()
      .trim();
  const bytes = entries.map((entry) => {
    const id = 'tree' in entry ? entry.tree : hash('blob', entry.text);
    return Buffer.concat([Buffer.from(`${entry.mode} `), entry.name, Buffer.from([0]), Buffer.from(id, 'hex')]);
  });
  return hash('tree', Buffer.concat(bytes));
}
