import { chownSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository, repoKeyOf } from '../../../activities/git/refs/find-repository.js';
import { resolveBase } from '../../../activities/git/refs/resolve-base.js';
import { isRepositoryBusy } from '../../../activities/git/start/repository-busy.js';
import { GitError } from '../../../activities/git/start/run-git.js';
import { FAILURES } from '../../../protocol/failures.js';
import { itWhere } from '../../support/it-where.js';
import { git, makeRepository, removeFolders, tempFolder } from './repository-fixture.js';

const badRepository = (message: string) =>
  expect.objectContaining({
    type: FAILURES.BadRepository,
    nonRetryable: true,
    message: expect.stringContaining(message),
  });

afterEach(removeFolders);

describe('finding a repository', () => {
  it.each(['project', 'with space', 'quo"te', 'new\nline', '🎉'])(
    'finds one in a folder named %j, also from below',
    async (name) => {
      const root = makeRepository(undefined, join(tempFolder(), name));
      mkdirSync(join(root, 'sub'));

      const found = await findRepository(join(root, 'sub'));

      expect(found).toEqual({
        root,
        commonDir: join(root, '.git'),
        gitDir: join(root, '.git'),
        project: expect.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]*$/),
      });
    },
  );

  it('finds the common directory from a linked worktree', async () => {
    const root = makeRepository();
    const linked = join(tempFolder(), 'linked');
    git(root, 'worktree', 'add', '--quiet', '-b', 'side', linked);

    expect(await findRepository(linked)).toEqual({
      root: linked,
      commonDir: join(root, '.git'),
      gitDir: join(root, '.git', 'worktrees', 'linked'),
      project: 'project',
    });
  });

  it('refuses a folder that is in no repository', async () => {
    await expect(findRepository(tempFolder())).rejects.toEqual(
      badRepository('not in the work tree of a git repository'),
    );
  });

  it('refuses a path that does not exist', async () => {
    await expect(findRepository('/no/such/folder')).rejects.toEqual(badRepository('is not a folder'));
  });

  it('refuses a bare repository', async () => {
    const folder = tempFolder();
    git(folder, 'init', '--quiet', '--bare');

    await expect(findRepository(folder)).rejects.toEqual(badRepository('bare repository'));
  });

  it('refuses a repository without commits', async () => {
    const folder = tempFolder();
    git(folder, 'init', '--quiet');

    await expect(findRepository(folder)).rejects.toEqual(badRepository('without commits'));
  });

  describe('that was found before', () => {
    const { PATH = '', GIT_CONFIG_GLOBAL } = process.env;
    afterEach(() => {
      process.env['PATH'] = PATH;
      if (GIT_CONFIG_GLOBAL === undefined) delete process.env['GIT_CONFIG_GLOBAL'];
      else process.env['GIT_CONFIG_GLOBAL'] = GIT_CONFIG_GLOBAL;
    });

    /** Found, a while after its config was written: what was written a moment ago git may not have read. */
    async function foundBefore(root: string, path = root) {
      while (Date.now() - lstatSync(join(root, '.git')).ctimeMs < 300) await delay(50);
      return findRepository(path);
    }

    const withoutGit = () => {
      process.env['PATH'] = tempFolder();
    };

    it('asks git no more while it is the same', async () => {
      const [root, other] = [makeRepository(), makeRepository()];
      const first = await foundBefore(root);
      withoutGit();

      expect(await findRepository(root)).toEqual(first);
      await expect(findRepository(other)).rejects.toThrow('no git on PATH');
    });

    it('asks again where its config was written as git was asked', async () => {
      const root = makeRepository();
      git(root, 'config', 'core.bare', 'false');
      await findRepository(root);
      withoutGit();

      await expect(findRepository(root)).rejects.toThrow('no git on PATH');
    });

    it('asks again once its config says something else', async () => {
      const root = makeRepository();
      await foundBefore(root);
      git(root, 'config', 'core.bare', 'true');

      await expect(findRepository(root)).rejects.toEqual(badRepository('bare repository'));
    });

    it('asks again where another lies in its place, or nearer', async () => {
      const folder = tempFolder();
      const root = makeRepository(undefined, join(folder, 'one'));
      mkdirSync(join(root, 'sub'));
      await foundBefore(root, join(root, 'sub'));
      makeRepository(undefined, join(root, 'sub'));

      expect((await findRepository(join(root, 'sub'))).root).toBe(join(root, 'sub'));

      await foundBefore(root);
      renameSync(root, join(folder, 'away'));
      const main = makeRepository(undefined, join(folder, 'main'));
      git(main, 'worktree', 'add', '--quiet', '-b', 'side', root);
      expect(await findRepository(root)).toMatchObject({ root, commonDir: join(main, '.git') });
    });

    it('asks again where its .git leads elsewhere by now', async () => {
      const linked = join(tempFolder(), 'linked');
      git(makeRepository(), 'worktree', 'add', '--quiet', '-b', 'side', linked);
      await foundBefore(linked);
      rmSync(join(linked, '.git'));
      makeRepository(undefined, linked);

      expect(await findRepository(linked)).toMatchObject({ root: linked, gitDir: join(linked, '.git') });
    });

    itWhere(process.getuid?.() === 0, 'no right to give a folder away')(
      'asks each time of one that is somebody else’s, which the person’s config may not call safe any more',
      async () => {
        const [root, config] = [makeRepository(), join(tempFolder(), 'config')];
        for (const path of [root, join(root, '.git')]) chownSync(path, 12_345, 12_345);
        writeFileSync(config, `[safe]\n\tdirectory = ${root}\n`);
        process.env['GIT_CONFIG_GLOBAL'] = config;
        expect(await foundBefore(root)).toMatchObject({ root });
        writeFileSync(config, '');

        await expect(findRepository(root)).rejects.toEqual(badRepository('dubious ownership'));
      },
    );

    it('is refused once it has no commit any more', async () => {
      const root = makeRepository();
      await foundBefore(root);
      rmSync(join(root, '.git/refs/heads/main'));

      await expect(findRepository(root)).rejects.toEqual(badRepository('without commits'));
    });
  });

  it('names the same repository apart on two hosts', () => {
    expect(repoKeyOf('a', '/x/.git')).toMatch(/^[0-9a-f]{16}$/);
    expect(repoKeyOf('a', '/x/.git')).not.toBe(repoKeyOf('b', '/x/.git'));
  });
});

describe('the base of a run', () => {
  it('is the checked-out branch, packed or not', async () => {
    const root = makeRepository();
    const sha = git(root, 'rev-parse', 'HEAD').trim();
    const repository = await findRepository(root);

    expect(await resolveBase(repository)).toEqual({ branch: 'main', sha });
    git(root, 'pack-refs', '--all');
    expect(await resolveBase(repository)).toEqual({ branch: 'main', sha });
  });

  it('is a commit labelled HEAD when none is checked out', async () => {
    const root = makeRepository();
    git(root, 'checkout', '--quiet', '--detach');

    expect(await resolveBase(await findRepository(root))).toEqual({
      branch: 'HEAD',
      sha: git(root, 'rev-parse', 'HEAD').trim(),
    });
  });

  it.each(['feature/ünï', 'v1', 'main~0'])('may be named %s', async (name) => {
    const root = makeRepository();
    git(root, 'branch', 'feature/ünï');
    git(root, 'tag', '-a', '-m', 'one', 'v1');

    expect(await resolveBase(await findRepository(root), name)).toEqual({
      branch: name,
      sha: git(root, 'rev-parse', 'HEAD').trim(),
    });
  });

  it.each(['nope', '--all', '', '../../config', 'a\0b'])(
    'refuses %j and names the branches there are',
    async (name) => {
      const repository = await findRepository(makeRepository());

      await expect(resolveBase(repository, name)).rejects.toEqual(badRepository('branches here: main'));
    },
  );
});

describe('a busy repository', () => {
  it.each([
    "fatal: Unable to create '/r/.git/packed-refs.lock': File exists.",
    'error: could not lock config file .git/config: File exists',
    "fatal: cannot lock ref 'refs/heads/x': Unable to create '/r/.git/refs/heads/x.lock': File exists.",
    "fatal: cannot lock ref 'refs/heads/x': is at 1f8ea21 but expected 07f2d3b",
    "fatal: could not create directory of '.git/worktrees/x': File exists",
    "fatal: could not create leading directories of '/h/x/.git': No such file or directory",
    'fatal: failed to read /r/.git/worktrees/other-13/commondir: Success',
  ])('is told from a failure by %j', (stderr) => {
    expect(isRepositoryBusy(new GitError(['x'], { exitCode: 128, stdout: '', stderr }))).toBe(true);
  });

  it.each([
    'fatal: invalid reference: x',
    "fatal: '/h/x' already exists",
    "fatal: cannot lock ref 'refs/heads/x/y': 'refs/heads/x' exists; cannot create 'refs/heads/x/y'",
  ])('is not seen in %j', (stderr) => {
    expect(isRepositoryBusy(new GitError(['x'], { exitCode: 128, stdout: '', stderr }))).toBe(false);
  });
});
