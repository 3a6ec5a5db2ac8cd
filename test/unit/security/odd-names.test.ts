/** Names that are options, control characters, no UTF-8, or another file's under another case: what git stores is exactly what was there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { resolveBase } from '../../../activities/git/refs/resolve-base.js';
import { copyAndLink } from '../../../activities/git/run/worktree-setup-files.js';
import { commitOf } from '../../../client/repository.js';
import {
  canaryProgram,
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  reopen,
  tempFolder,
  write,
} from '../git/repository-fixture.js';

afterEach(removeFolders);

async function commitTurn(run: OpenedRun, opened = run.run) {
  const planned = await opened.plan({
    expectedHead: run.base,
    claimedAt: '2026-11-21T10:00:00Z',
    subject: 's',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  await opened.publish(planned);
  return planned.commit;
}

const bytes = (folder: string, name: readonly number[]) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);

/** Names as git stores them, one latin1 character a byte. */
const stored = (run: OpenedRun, commit: string) =>
  execFileSync('git', ['-C', run.root, 'ls-tree', '-r', '-z', '--name-only', commit], { encoding: 'latin1' })
    .split('\0')
    .slice(0, -1)
    .sort();

describe('a file whose name is no UTF-8', () => {
  it('is committed when it is added, changed or removed, beside ordinary ones, and without what is protected', async () => {
    const root = makeRepository({ 'a.txt': 'a\n' });
    for (const name of [[0xff], [0xfe], [0xc3, 0x28]]) writeFileSync(bytes(root, name), 'old');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'odd names');
    write(root, '.env', 'SECRET=1\n');
    const run = await openRun(undefined, root);
    await copyAndLink({
      repository: run.repository,
      target: run.worktree,
      copy: ['.env'],
      link: [],
      gitDir: run.gitDir,
    });
    writeFileSync(bytes(run.worktree, [0xff]), 'new');
    rmSync(bytes(run.worktree, [0xfe]));
    writeFileSync(bytes(run.worktree, [0xfa, 0x0a, 0x1b]), 'added');
    write(run.worktree, '.gitignore', '!.env\n');

    const commit = await commitTurn(run, await reopen(run));

    expect(stored(run, commit)).toEqual(['.gitignore', 'a.txt', '\xc3(', '\xfa\n\x1b', '\xff']);
    expect(git(run.worktree, 'status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(git(root, 'diff', '--numstat', run.base, commit).trim().split('\n')).toHaveLength(4);
  });
});

describe('names that only differ in case', () => {
  it('are two files, and stay two', async () => {
    const run = await openRun({ 'A.txt': 'A\n', 'a.txt': 'a\n', 'dir/x': '1', 'DIR/x': '2' });
    write(run.worktree, 'a.TXT', 'third\n');
    write(run.worktree, 'A.txt', 'changed\n');

    const commit = await commitTurn(run);

    expect(stored(run, commit)).toEqual(['A.txt', 'DIR/x', 'a.TXT', 'a.txt', 'dir/x']);
    expect(
      git(run.root, 'cat-file', 'blob', `${commit}:A.txt`) + git(run.root, 'cat-file', 'blob', `${commit}:a.txt`),
    ).toBe('changed\na\n');
  });
});

describe('a base commit with a path that git forbids', () => {
  it.each([
    ['.git/hooks/post-checkout', '.git'],
    ['.GIT/hooks/post-checkout', '.GIT'],
    ['../outside', '..'],
  ])('is not checked out: %s', async (path, folder) => {
    const root = makeRepository();
    const { program, canary } = canaryProgram(tempFolder());
    const base = commitWith(root, path.split('/'), execFileSync('cat', [program], { encoding: 'utf8' }));
    git(root, 'update-ref', 'refs/heads/evil', base);
    const run = await openRun(undefined, root);
    const before = readdirSync(join(run.worktree, '..'));

    await expect(run.run.restore(base)).rejects.toThrow(/invalid path/);

    expect(readdirSync(join(run.worktree, '..'))).toEqual(before);
    expect(existsSync(join(run.worktree, folder, 'hooks'))).toBe(false);
    expect(existsSync(canary)).toBe(false);
  });
});

describe('a branch or base that looks like an option', () => {
  it.each(['-x', '--upload-pack=x', '-rf', '--exec=touch x', '--output=x', '@{-1}', ':/first', '-', '--'])(
    '%j is a name and nothing else',
    async (name) => {
      const root = makeRepository();
      const repository = await findRepository(root);
      const before = readdirSync(root);

      const found = await resolveBase(repository, name).then(
        ({ sha }) => sha,
        ({ message }: Error) => message,
      );

      if (name !== ':/first') expect(found).toContain(`There is no base branch ${JSON.stringify(name)}`);
      expect(await commitOf(root, name)).toBeNull();
      expect(readdirSync(root)).toEqual(before);
    },
  );

  it('can be a branch that somebody made by hand, and the run begins there', async () => {
    const root = makeRepository();
    const sha = git(root, 'rev-parse', 'HEAD').trim();
    mkdirSync(join(root, '.git/refs/heads'), { recursive: true });
    for (const name of ['-rf', '--upload-pack=x']) writeFileSync(join(root, '.git/refs/heads', name), `${sha}\n`);

    const bases = await Promise.all(
      ['-rf', '--upload-pack=x'].map(async (name) => resolveBase(await findRepository(root), name)),
    );

    expect(bases).toEqual([
      { branch: '-rf', sha },
      { branch: '--upload-pack=x', sha },
    ]);
  });
});

/** Written as objects: git itself refuses to make such a tree. */
function commitWith(root: string, path: readonly string[], text: string): string {
  const hash = (type: string, input: string | Buffer) =>
    execFileSync('git', ['-C', root, 'hash-object', '-w', '-t', type, '--stdin', '--literally'], {
      input,
      encoding: 'utf8',
    }).trim();
  let [mode, id] = ['100755', hash('blob', text)];
  for (const name of [...path].reverse()) {
    id = hash('tree', Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]));
    mode = '40000';
  }
  return git(root, 'commit-tree', id, '-m', 'evil').trim();
}
