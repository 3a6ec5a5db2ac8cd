/** What people do in the worktree of a run, or with it, while no agent is at work there: nothing of it is deleted or overwritten. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setAside } from '../../../activities/git/worktree/set-aside.js';
import { git, makeRepository, openRun, removeFolders, tempFolder, write } from './repository-fixture.js';

const RESET_1 = 'refs/sluice/project-1/reset-1';

afterEach(removeFolders);

describe('files that a person changed in a worktree', () => {
  it('are moved aside with their paths, a repository among them whole; what was deleted is no loss', async () => {
    const run = await openRun({ 'a.txt': 'a\n', 'dir/b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': 'kept\n' });
    write(run.worktree, 'dir/b.txt', 'mine\n');
    write(run.worktree, 'new/file.txt', 'mine too\n');
    write(run.worktree, 'kept/ignored.txt', 'stays\n');
    rmSync(join(run.worktree, 'c.txt'));
    makeRepository({ 'inner.txt': 'x' }, join(run.worktree, 'nested'));

    const aside = await run.run.setAside();
    await run.run.restore(run.base);

    expect(aside?.paths).toEqual(['dir/b.txt', 'nested', 'new/file.txt']);
    const folder = aside?.folder ?? '';
    expect(dirname(folder)).toBe(dirname(run.worktree));
    expect(readFileSync(join(folder, 'dir/b.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(folder, 'new/file.txt'), 'utf8')).toBe('mine too\n');
    expect(git(join(folder, 'nested'), 'log', '--format=%s').trim()).toBe('First commit');
    expect(readFileSync(join(run.worktree, 'kept/ignored.txt'), 'utf8')).toBe('stays\n');
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('are moved aside under names that are no UTF-8', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    const odd = (above: string, rest = '') =>
      Buffer.concat([Buffer.from(`${above}/odd`), Buffer.from([0xff]), Buffer.from(rest)]);
    mkdirSync(odd(run.worktree));
    writeFileSync(odd(run.worktree, '/file.txt'), 'mine\n');
    mkdirSync(join(run.worktree, 'new'));
    writeFileSync(odd(join(run.worktree, 'new')), 'mine too\n');

    const aside = await run.run.setAside();
    await run.run.restore(run.base);

    const folder = aside?.folder ?? '';
    expect(aside?.paths).toEqual(['new/odd\ufffd', 'odd\ufffd/file.txt']);
    expect(readFileSync(odd(folder, '/file.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(odd(join(folder, 'new')), 'utf8')).toBe('mine too\n');
    expect(readdirSync(run.worktree)).toEqual(['.git', 'a.txt']);
  });

  it('are not moved through a link that is no UTF-8', async () => {
    const run = await openRun();
    const elsewhere = tempFolder();
    write(elsewhere, 'theirs.txt', 'theirs');
    symlinkSync(elsewhere, Buffer.concat([Buffer.from(`${run.worktree}/odd`), Buffer.from([0xff])]));

    await expect(
      setAside(run.worktree, [{ path: 'odd\ufffd/theirs.txt', bytes: 'odd\xff/theirs.txt', status: 'added' }]),
    ).rejects.toThrow('is a symlink');

    expect(readdirSync(elsewhere)).toEqual(['theirs.txt']);
  });

  it('are not looked for where there are none', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    rmSync(join(run.worktree, 'a.txt'));

    expect(await run.run.setAside()).toBeNull();
  });
});

describe('a commit that was made in a worktree', () => {
  it('stays as a reset ref of the run where a restore takes it off the branch', async () => {
    const run = await openRun();
    git(run.worktree, 'commit', '--quiet', '--allow-empty', '-m', 'by hand');
    const mine = git(run.worktree, 'rev-parse', 'HEAD').trim();

    expect(await run.run.restore(run.base)).toEqual({ kind: 'restored' });

    expect(git(run.root, 'rev-parse', 'sluice/project-1').trim()).toBe(run.base);
    expect(git(run.root, 'rev-parse', RESET_1).trim()).toBe(mine);
  });

  it('can be followed: the files stay, and nothing counts as changed', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'by hand\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'by hand');
    const mine = git(run.worktree, 'rev-parse', 'HEAD').trim();

    await run.run.follow(mine);

    expect(await run.run.standsAt(mine)).toBe(true);
    expect(await run.run.changes()).toEqual([]);
  });
});

describe('a worktree that a person moved with git', () => {
  it('keeps its registration, its index and its files; the run gets a worktree of its own again', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    const moved = join(dirname(run.root), 'moved');
    git(run.root, 'worktree', 'move', run.worktree, moved);
    write(moved, 'staged.txt', 'staged\n');
    git(moved, 'add', '--all');

    await run.run.restore(run.base);

    expect(git(moved, 'status', '--porcelain').trim()).toBe('A  staged.txt');
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    expect(git(run.root, 'worktree', 'list', '--porcelain').match(/^worktree .*$/gm)).toEqual(
      expect.arrayContaining([`worktree ${moved}`, `worktree ${run.worktree}`]),
    );
    expect(existsSync(join(run.worktree, 'staged.txt'))).toBe(false);
  });
});
