import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openValidationCheckout } from '../../../activities/git/run/validation-checkout.js';
import { runAsOrdinaryUser } from './ordinary-user.js';
import { git, makeRepository, type OpenedRun, openRun, removeFolders, write } from './repository-fixture.js';

const request = (run: OpenedRun) => ({
  expectedHead: run.base,
  claimedAt: '2020-01-01T00:00:00.000Z',
  subject: 'executing',
  body: 'the body',
});

/** What an agent does: its worktree becomes a symlink to the person's checkout. */
function linkToCheckout(run: OpenedRun): void {
  renameSync(run.worktree, `${run.worktree}.aside`);
  symlinkSync(run.root, run.worktree);
}

function movedAside(run: OpenedRun): string[] {
  return readdirSync(dirname(run.worktree)).filter((name) => name.includes('.found-'));
}

afterEach(removeFolders);

describe('a worktree that became a symlink to the checkout', () => {
  it.each([
    ['changes', (run: OpenedRun) => run.run.changes()],
    [
      'plan',
      (run: OpenedRun) => run.run.plan({ ...request(run), changes: [{ path: 'README.md', status: 'modified' }] }),
    ],
  ])('is refused by %s', async (_, act) => {
    const run = await openRun();
    linkToCheckout(run);

    await expect(act(run)).rejects.toThrow('the folder of the worktree became a symlink');
  });

  it('is refused by a publish, which moves no ref and leaves the .git of the person alone', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    linkToCheckout(run);

    await expect(planned === null ? null : run.run.publish(planned)).rejects.toThrow(
      'the folder of the worktree became a symlink',
    );

    expect(await run.run.head()).toBe(run.base);
    expect(git(run.root, 'rev-parse', 'HEAD').trim()).toBe(run.base);
  });

  it('is moved aside by a restore, which makes the worktree at its real place', async () => {
    const run = await openRun();
    linkToCheckout(run);
    write(run.root, 'untracked.txt', 'precious');

    await run.run.restore(run.base);

    expect(lstatSync(run.worktree).isDirectory()).toBe(true);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    expect(movedAside(run)).toHaveLength(1);
    expect(readFileSync(join(run.root, 'untracked.txt'), 'utf8')).toBe('precious');
    expect(lstatSync(join(run.root, '.git')).isDirectory()).toBe(true);
  });
});

describe('a worktree with the folder of somebody else in its place', () => {
  it('is restored beside it; nothing of the folder is deleted', async () => {
    const run = await openRun();
    const theirs = makeRepository({ 'theirs.txt': 'x' });
    write(theirs, 'untracked.txt', 'precious');
    rmSync(run.worktree, { recursive: true });
    renameSync(theirs, run.worktree);

    expect(await run.run.root()).toEqual({ kind: 'destroyed', why: 'the .git file of the worktree is not its own' });
    await run.run.restore(run.base);

    const [aside = ''] = movedAside(run);
    expect(readFileSync(join(dirname(run.worktree), aside, 'untracked.txt'), 'utf8')).toBe('precious');
    expect(git(join(dirname(run.worktree), aside), 'log', '--format=%s').trim()).toBe('First commit');
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('has a repository in the place of its .git file moved aside by a publish', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    const planned = await run.run.plan(request(run));
    const theirs = makeRepository();
    rmSync(join(run.worktree, '.git'));
    renameSync(join(theirs, '.git'), join(run.worktree, '.git'));

    expect(planned === null ? null : await run.run.publish(planned)).toEqual({ kind: 'published' });

    const [aside = ''] = movedAside(run);
    expect(existsSync(join(dirname(run.worktree), aside, 'objects'))).toBe(true);
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('has a repository in the place of the .git of the validation checkout moved aside too', async () => {
    const run = await openRun();
    const path = join(run.home, 'worktrees', 'project-1+validation');
    const at = {
      repository: run.repository,
      path,
      gitDir: join(run.home, 'state', 'validation.git'),
      owner: 'chain-1',
      snapshotOf: run.gitDir,
    };
    const checkout = await openValidationCheckout(at);
    await checkout.moveTo(run.base);
    await checkout.moveTo(run.base);
    expect(movedAside(run)).toEqual([]);
    const theirs = makeRepository();
    rmSync(join(path, '.git'), { recursive: true });
    renameSync(join(theirs, '.git'), join(path, '.git'));

    await checkout.moveTo(run.base);

    const [aside = ''] = movedAside(run);
    expect(existsSync(join(dirname(path), aside, 'refs', 'heads', 'main'))).toBe(true);
  });
});

describe('a worktree that was destroyed', () => {
  it.each([
    ['gone', (run: OpenedRun) => rmSync(run.worktree, { recursive: true }), 'the folder of the worktree is gone'],
    [
      'emptied',
      (run: OpenedRun) => {
        rmSync(run.worktree, { recursive: true });
        mkdirSync(run.worktree);
      },
      'the .git file of the worktree is gone',
    ],
  ])('is seen as such and restored: %s', async (_, harm, why) => {
    const run = await openRun();
    expect(await run.run.root()).toEqual({ kind: 'whole' });
    harm(run);

    expect(await run.run.root()).toEqual({ kind: 'destroyed', why });
    await run.run.restore(run.base);

    expect(await run.run.root()).toEqual({ kind: 'whole' });
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
  });

  it('by `git init` of a folder in it: the nested repository is named', async () => {
    const run = await openRun();
    git(run.worktree, 'init', '--quiet', 'sub');
    write(run.worktree, 'sub/file.txt', 'x');

    await expect(run.run.plan(request(run))).rejects.toMatchObject({ name: 'WorktreeViolation', paths: ['sub'] });
  });
});

describe('a read-only folder that a turn left', () => {
  it('is removed by a restore of an ordinary user; links in it are not followed', () => {
    const printed = runAsOrdinaryUser(`
      import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
      import { join } from 'node:path';
      const run = await fixture.openRun();
      mkdirSync(join(run.home, 'elsewhere'), { mode: 0o555 });
      fixture.write(run.worktree, 'cache/module/file.go', 'x');
      symlinkSync(join(run.home, 'elsewhere'), join(run.worktree, 'cache', 'link'));
      for (const path of ['cache/module', 'cache']) chmodSync(join(run.worktree, path), 0o555);
      await run.run.restore(run.base);
      console.log(JSON.stringify({ left: readdirSync(run.worktree), mode: lstatSync(join(run.home, 'elsewhere')).mode & 0o777 }));
      fixture.removeFolders();
    `);

    expect(printed).toEqual({ left: ['.git', 'README.md'], mode: 0o555 });
  });

  it('is removed by both, a restore and whoever removes the worktree, whatever bytes its name has', () => {
    const printed = runAsOrdinaryUser(`
      import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
      const { removeFolder } = await product('git/worktree/remove-worktree.ts');
      const run = await fixture.openRun();
      const plant = () => {
        const at = (rest) => Buffer.concat([Buffer.from(run.worktree + '/odd'), Buffer.from([0xff]), Buffer.from(rest)]);
        mkdirSync(at('/module'), { recursive: true });
        writeFileSync(at('/module/file.go'), 'x');
        for (const path of ['/module', '']) chmodSync(at(path), 0o555);
      };
      plant();
      await run.run.restore(run.base);
      const left = readdirSync(run.worktree);
      plant();
      await removeFolder(run.worktree);
      console.log(JSON.stringify({ left, isThere: existsSync(run.worktree) }));
      fixture.removeFolders();
    `);

    expect(printed).toEqual({ left: ['.git', 'README.md'], isThere: false });
  });
});
