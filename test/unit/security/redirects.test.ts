/** A repository, or something in it, that leads to another place: the engine works where the person named it, and the other place stays as it is. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { openValidationCheckout } from '../../../activities/git/run/validation-checkout.js';
import { copyAndLink } from '../../../activities/git/run/worktree-setup-files.js';
import { lastingTrouble } from '../../../activities/git/start/lasting-trouble.js';
import { lookAtRepository } from '../../../client/repository.js';
import {
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  tempFolder,
  write,
} from '../git/repository-fixture.js';

afterEach(removeFolders);

const request = (run: OpenedRun) => ({
  expectedHead: run.base,
  claimedAt: '2026-11-21T10:00:00Z',
  subject: 's',
  body: '',
});

/** Every file below a folder, with its content. */
function contents(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  );
}

describe('a repository whose config names another work tree', () => {
  it('above it, with or without a repository there, is refused by host and command line', async () => {
    const above = tempFolder();
    const root = makeRepository(undefined, join(above, 'project'));
    git(root, 'config', 'core.worktree', above);
    for (const prepare of [() => undefined, () => makeRepository({ dotfile: 'x' }, above)]) {
      prepare();

      await expect(findRepository(root)).rejects.toThrow('names another work tree (core.worktree)');
      expect(await lookAtRepository(root)).toEqual({ kind: 'elsewhere', root: above });
    }
  });

  it('beside it is refused too', async () => {
    const root = makeRepository();
    git(root, 'config', 'core.worktree', tempFolder());

    await expect(findRepository(root)).rejects.toThrow('names another work tree (core.worktree)');
    expect(await lookAtRepository(root)).toEqual({ kind: 'not_git' });
  });

  it('is found where that is its own one: a submodule, a linked worktree, a git dir apart', async () => {
    const inner = makeRepository({ 'x.txt': 'x' });
    const root = makeRepository();
    git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    const linked = join(tempFolder(), 'linked');
    git(root, 'worktree', 'add', '--quiet', '--detach', linked);
    const apart = join(tempFolder(), 'apart');
    git(root, 'clone', '--quiet', `--separate-git-dir=${join(tempFolder(), 'git')}`, root, apart);

    for (const [place, main] of [
      [join(root, 'sub'), join(root, 'sub')],
      [linked, root],
      [apart, apart],
    ] as const) {
      expect(await findRepository(place)).toMatchObject({ root: place });
      expect(await lookAtRepository(place)).toMatchObject({ kind: 'ok', root: place, main });
    }
  });
});

describe('a .git file that leads elsewhere', () => {
  it('in the worktree is written anew, and the repository it led to stays as it is', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    const other = makeRepository({ 'theirs.txt': 'x' });
    const before = contents(other);
    for (const step of ['publish', 'restore'] as const) {
      writeFileSync(join(run.worktree, '.git'), `gitdir: ${other}/.git\n`);
      write(run.worktree, 'a.txt', `${step}\n`);
      if (step === 'publish') {
        const planned = await run.run.plan(request(run));
        if (planned === null) throw new Error('nothing planned');
        expect(await run.run.publish(planned)).toEqual({ kind: 'published' });
      } else {
        await run.run.restore(run.base);
      }

      expect(readFileSync(join(run.worktree, '.git'), 'utf8')).toContain(`${run.root}/.git/worktrees/`);
      expect(git(run.worktree, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/sluice/project-1');
    }
    expect(contents(other)).toEqual(before);
  });

  it('in the place of the checkout’s .git ends the turn, and the repository it leads to stays as it is', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    const other = makeRepository({ 'theirs.txt': 'x' });
    const before = contents(other);
    renameSync(join(run.root, '.git'), join(tempFolder(), 'taken'));
    writeFileSync(join(run.root, '.git'), `gitdir: ${other}/.git\n`);
    write(run.worktree, 'a.txt', 'b\n');

    const error = await run.run.plan(request(run)).catch((caught: unknown) => caught);

    expect(lastingTrouble(error)).not.toBeNull();
    expect(contents(other)).toEqual(before);
  });
});

describe('objects that are borrowed from a foreign place (alternates)', () => {
  it('are read only: a whole turn writes nothing there', async () => {
    const lender = makeRepository({ 'a.txt': 'a\n' });
    const root = join(tempFolder(), 'borrower');
    git(lender, 'clone', '--quiet', '--shared', lender, root);
    const before = contents(lender);
    const run = await openRun(undefined, root);
    write(run.worktree, 'a.txt', 'b\n');

    const planned = await run.run.plan(request(run));
    if (planned === null) throw new Error('nothing planned');
    await run.run.publish(planned);
    const checkout = await openValidationCheckout({
      repository: run.repository,
      path: join(run.home, 'validation'),
      gitDir: join(run.home, 'validation.git'),
      owner: 'chain-1',
      snapshotOf: run.gitDir,
    });
    await checkout.moveTo(planned.commit);
    await run.run.restore(run.base);

    expect(contents(lender)).toEqual(before);
    expect(() => git(lender, 'cat-file', '-e', planned.commit)).toThrow();
  });
});

describe('symlinks that a commit brings', () => {
  it('lead no copy and no link of the set-up out of the worktree', async () => {
    const elsewhere = tempFolder();
    const root = makeRepository({ 'a.txt': 'a\n', '.gitignore': 'private\nmodules\n' });
    for (const [name, target] of [
      ['config', elsewhere],
      ['.env', join(elsewhere, 'env')],
    ] as const)
      symlinkSync(target, join(root, name));
    git(root, 'add', '--force', '--all');
    git(root, 'commit', '--quiet', '-m', 'links');
    // The checkout has folders where the commit has links.
    for (const name of ['config', '.env']) rmSync(join(root, name));
    for (const path of ['config/local.yml', 'config/deep/key', '.env/x', 'private/key']) write(root, path, 'secret');
    mkdirSync(join(root, 'config/modules'));
    const run = await openRun(undefined, root);
    symlinkSync(elsewhere, join(run.worktree, 'private'));
    const { repository, worktree: target, gitDir } = run;

    const { copied, linked, skipped } = await copyAndLink({
      repository,
      target,
      gitDir,
      copy: ['config/**', '.env/*', 'private/key'],
      link: ['config/modules'],
    });

    expect({ copied, linked }).toEqual({ copied: [], linked: [] });
    expect(skipped.map(({ why }) => why)).toEqual(Array.from({ length: 5 }, () => 'a folder above it is a symlink'));
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
