import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { lastingTrouble } from '../../../activities/git/start/lasting-trouble.js';
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
} from './repository-fixture.js';

const CLAIMED_AT = '2020-01-01T00:00:00.000Z';

const request = (run: OpenedRun) => ({
  expectedHead: run.base,
  claimedAt: CLAIMED_AT,
  subject: 'executing',
  body: 'the body',
});

async function commitTurn(run: OpenedRun) {
  const planned = await run.run.plan(request(run));
  if (planned === null) throw new Error('nothing planned');
  return { planned, published: await run.run.publish(planned) };
}

afterEach(removeFolders);

describe('an agent that commits itself', () => {
  it.each([
    ['on the branch', (run: OpenedRun) => git(run.worktree, 'status')],
    ['on a detached HEAD', (run: OpenedRun) => git(run.worktree, 'checkout', '--quiet', '--detach')],
    ['on a branch of its own', (run: OpenedRun) => git(run.worktree, 'checkout', '--quiet', '-b', 'mine')],
  ])('%s is folded into one commit, with its messages', async (_, prepare) => {
    const run = await openRun();
    prepare(run);
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'my own work');
    write(run.worktree, 'b.txt', 'b\n');

    const { planned, published } = await commitTurn(run);

    expect(published).toEqual({ kind: 'published' });
    expect(planned.folded.map(({ message }) => message)).toEqual(['my own work']);
    expect(git(run.root, 'log', '--format=%P', `${run.base}..sluice/project-1`).trim()).toBe(run.base);
    expect(git(run.root, 'log', '-1', '--format=%B', 'sluice/project-1')).toContain('my own work');
    expect(git(run.root, 'ls-tree', '--name-only', 'sluice/project-1')).toContain('b.txt');
    expect(git(run.worktree, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/sluice/project-1');
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('is folded too where the repository keeps no reflogs', async () => {
    const root = makeRepository();
    git(root, 'config', 'core.logAllRefUpdates', 'false');
    const run = await openRun(undefined, root);
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'my own work');

    const { planned, published } = await commitTurn(run);

    expect(published).toEqual({ kind: 'published' });
    expect(planned.folded.map(({ message }) => message)).toEqual(['my own work']);
  });

  it('is folded without the secrets in its message', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', `use ghp_${'a1'.repeat(18)}`);

    const { planned } = await commitTurn(run);

    expect(planned.folded.map(({ message }) => message)).toEqual(['use [redacted:github-token]']);
    expect(git(run.root, 'log', '-1', '--format=%B', 'sluice/project-1')).not.toContain('ghp_');
  });

  it('amends the base commit, and the base stays the parent', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '--amend', '-m', 'amended');

    const { planned, published } = await commitTurn(run);

    expect(published).toEqual({ kind: 'published' });
    expect(planned.parent).toBe(run.base);
    expect(git(run.root, 'rev-parse', 'main').trim()).toBe(run.base);
  });

  it('has its turn refused for good where it gave a branch the name of the folder of all runs', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'branch', '-m', 'sluice');

    const refused = await commitTurn(run).catch((error: unknown) => error);

    expect(lastingTrouble(refused)).toContain("'refs/heads/sluice' exists; cannot create");
  });

  it('has its branch put back by a restore (V-127)', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'a reviewer must not');

    expect(await run.run.restore(run.base)).toEqual({ kind: 'restored' });

    expect(await run.run.head()).toBe(run.base);
    expect(existsSync(join(run.worktree, 'a.txt'))).toBe(false);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });
});

describe('a restore', () => {
  it('rolls back what a read-only turn changed, and keeps ignored files (V-127)', async () => {
    const run = await openRun({ '.gitignore': 'node_modules\n', 'a.txt': 'a\n', 'b.txt': 'b\n' });
    write(run.worktree, 'a.txt', 'changed\n');
    rmSync(join(run.worktree, 'b.txt'));
    write(run.worktree, 'new/file.txt', 'x');
    write(run.worktree, 'node_modules/kept.js', 'x');
    expect(await run.run.changes()).toEqual([
      { path: 'a.txt', status: 'modified' },
      { path: 'b.txt', status: 'deleted' },
      { path: 'new/file.txt', status: 'added' },
    ]);

    await run.run.restore(run.base);

    expect(await run.run.changes()).toEqual([]);
    expect(readFileSync(join(run.worktree, 'a.txt'), 'utf8')).toBe('a\n');
    expect(existsSync(join(run.worktree, 'new'))).toBe(false);
    expect(existsSync(join(run.worktree, 'node_modules/kept.js'))).toBe(true);
  });

  it('leaves a branch that somebody else moved, and says where it stands', async () => {
    const run = await openRun();
    const other = git(run.root, 'commit-tree', '-p', run.base, '-m', 'other', `${run.base}^{tree}`).trim();
    git(run.root, 'update-ref', 'refs/heads/sluice/project-1', other);

    expect(await run.run.restore(run.base)).toEqual({ kind: 'branch_elsewhere', actual: other });
    expect(git(run.root, 'rev-parse', 'sluice/project-1').trim()).toBe(other);
  });

  it('mends a worktree whose .git was deleted, replaced by a repository, or unregistered', async () => {
    const run = await openRun();
    for (const harm of [
      () => rmSync(join(run.worktree, '.git')),
      () => {
        rmSync(join(run.worktree, '.git'));
        git(run.worktree, 'init', '--quiet');
      },
      () => rmSync(join(run.root, '.git', 'worktrees'), { recursive: true }),
    ]) {
      harm();
      await run.run.restore(run.base);

      expect(git(run.worktree, 'status', '--porcelain')).toBe('');
      expect(git(run.worktree, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/sluice/project-1');
    }
  });

  it('goes on after a killed git left locks and a broken index', async () => {
    const run = await openRun();
    writeFileSync(join(run.gitDir, 'index.lock'), '');
    writeFileSync(join(run.gitDir, 'index'), 'DIRC-torn');
    writeFileSync(join(run.root, '.git', 'worktrees', 'project-1', 'index.lock'), '');

    await run.run.restore(run.base);

    expect(await run.run.changes()).toEqual([]);
    expect(git(run.worktree, 'add', '--all')).toBe('');
  });

  it('removes nested repositories, and does not follow a worktree that became a symlink', async () => {
    const run = await openRun();
    makeRepository({ 'inner.txt': 'x' }, join(run.worktree, 'nested'));
    await run.run.restore(run.base);
    expect(existsSync(join(run.worktree, 'nested'))).toBe(false);

    const elsewhere = tempFolder();
    write(elsewhere, 'precious.txt', 'x');
    renameSync(run.worktree, `${run.worktree}-away`);
    symlinkSync(elsewhere, run.worktree);
    await run.run.restore(run.base);

    expect(readdirSync(elsewhere)).toEqual(['precious.txt']);
    expect(lstatSync(run.worktree).isSymbolicLink()).toBe(false);
    expect(existsSync(join(run.worktree, 'README.md'))).toBe(true);
  });

  it('refuses to write the index through an admin folder that became a symlink', async () => {
    const run = await openRun();
    const admin = join(run.root, '.git', 'worktrees');
    renameSync(admin, `${admin}-away`);
    const elsewhere = tempFolder();
    symlinkSync(elsewhere, admin);

    await expect(run.run.restore(run.base)).rejects.toThrow('is a symlink');
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('a hostile repository', () => {
  it('runs none of its programs in a whole turn', async () => {
    const root = makeRepository({ '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'a.txt': 'a\n' });
    const inner = makeRepository({ 'x.txt': 'x' }, join(tempFolder(), 'inner'));
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    git(root, 'commit', '--quiet', '-m', 'with a submodule');
    const { program, canary } = canaryProgram(tempFolder());
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'pre-auto-gc',
      'post-rewrite',
      'fsmonitor-watchman',
    ]) {
      execFileSync('cp', [program, join(root, '.git', 'hooks', hook)]);
    }
    const keys = [
      'core.fsmonitor',
      'core.sshCommand',
      'core.editor',
      'core.pager',
      'core.askPass',
      'core.alternateRefsCommand',
      'diff.external',
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'diff.evil.command',
      'diff.evil.textconv',
      'merge.evil.driver',
      'gpg.program',
    ];
    for (const key of keys) git(root, 'config', key, program);
    git(root, 'config', 'core.hooksPath', join(root, '.git', 'hooks'));
    git(root, 'config', 'commit.gpgSign', 'true');
    rmSync(canary, { force: true });

    const run = await openRun(undefined, root);
    rmSync(join(run.worktree, 'sub'), { recursive: true });
    execFileSync('git', ['clone', '--quiet', inner, join(run.worktree, 'sub')]);
    execFileSync('git', ['-C', join(run.worktree, 'sub'), 'config', 'core.fsmonitor', program]);
    write(run.worktree, 'sub/x.txt', 'dirty');
    write(run.worktree, 'a.txt', 'b\n');
    write(run.worktree, '.gitattributes', '* filter=evil diff=evil\n');
    await run.run.changes();
    const { planned } = await commitTurn(run);
    await run.run.diff(run.base, planned.commit);
    await run.run.patch(run.base, planned.commit);
    await run.run.restore(planned.commit);
    await (await reopen(run)).moveBack(planned.commit, run.base);

    expect(existsSync(canary) ? readFileSync(canary, 'utf8') : '').toBe('');
    expect(git(root, 'cat-file', 'blob', `${planned.commit}:a.txt`)).toBe('b\n');
  });

  it('sees a nested repository as one entry, and commits it as a submodule for the diff check to find', async () => {
    const run = await openRun();
    makeRepository({ 'inner.txt': 'x' }, join(run.worktree, 'nested'));

    expect(await run.run.changes()).toEqual([{ path: 'nested', status: 'added' }]);
    const { planned } = await commitTurn(run);

    expect((await run.run.diff(run.base, planned.commit)).files).toEqual([
      expect.objectContaining({ path: 'nested', mode: '160000' }),
    ]);
  });

  it('leaves no trace of an unfinished merge or rebase', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    git(run.worktree, 'checkout', '--quiet', '-b', 'side');
    write(run.worktree, 'a.txt', 'side\n');
    git(run.worktree, 'commit', '--quiet', '-am', 'side');
    git(run.worktree, 'checkout', '--quiet', 'sluice/project-1');
    write(run.worktree, 'a.txt', 'ours\n');
    git(run.worktree, 'commit', '--quiet', '-am', 'ours');
    expect(() => git(run.worktree, 'merge', 'side')).toThrow();
    mkdirSync(join(run.root, '.git', 'worktrees', 'project-1', 'rebase-merge'));

    await commitTurn(run);

    expect(git(run.worktree, 'status')).toContain('nothing to commit, working tree clean');
    expect(git(run.worktree, 'status')).not.toMatch(/merg|rebas/i);
  });
});
