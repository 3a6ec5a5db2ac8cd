import { existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { findGitProgram } from '../../../activities/git/start/git-program.js';
import { runGit } from '../../../activities/git/start/run-git.js';
import { canaryProgram, makeRepository, openRun, removeFolders, tempFolder } from './repository-fixture.js';

const PATH = process.env['PATH'] ?? '';

/** A `git` that leaves a canary, in this folder. */
function plantGit(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const { program, canary } = canaryProgram(folder);
  renameSync(program, join(folder, 'git'));
  return canary;
}

const inFront = (...folders: string[]) => {
  process.env['PATH'] = [...folders, PATH].join(delimiter);
};

let cwd: string;

beforeEach(() => {
  cwd = process.cwd();
});
afterEach(() => {
  process.chdir(cwd);
  process.env['PATH'] = PATH;
  removeFolders();
});

describe('the git that the engine starts', () => {
  it('is never one of a node_modules/.bin or of a relative entry of PATH', async () => {
    const folder = tempFolder();
    const canaries = [plantGit(join(folder, 'node_modules', '.bin')), plantGit(join(folder, 'bin'))];
    process.chdir(folder);
    inFront('bin', '.', '', join(folder, 'node_modules', '.bin'));

    await runGit(['--version'], {});

    expect(canaries.filter((canary) => existsSync(canary))).toEqual([]);
  });

  it('is never one that lies in the repository, not even to find that repository, and its PATH has no such folder', async () => {
    const root = makeRepository();
    const canary = plantGit(join(root, 'tools'));
    const link = join(tempFolder(), 'link');
    symlinkSync(join(root, 'tools'), link);
    mkdirSync(join(root, 'sub'));
    inFront(join(root, 'tools'), link);

    await findRepository(join(root, 'sub'));

    expect(existsSync(canary)).toBe(false);
    expect(findGitProgram().path.split(delimiter)).not.toEqual(expect.arrayContaining([link]));
    expect(findGitProgram().path.split(delimiter)).not.toEqual(expect.arrayContaining([join(root, 'tools')]));
  });

  it('is never one that lies in a worktree', async () => {
    const run = await openRun();
    const canary = plantGit(join(run.worktree, 'tools'));
    inFront(join(run.worktree, 'tools'), dirname(run.worktree));

    await run.run.changes();

    expect(existsSync(canary)).toBe(false);
  });

  it('is still there after somebody named a folder that is no repository', async () => {
    await expect(findRepository('/')).rejects.toThrow('not in the work tree');
    await expect(findRepository('/usr')).rejects.toThrow('not in the work tree');

    await expect(runGit(['--version'], {})).resolves.toContain('git version');
  });

  it('is named in an error where there is none', async () => {
    process.env['PATH'] = tempFolder();

    await expect(runGit(['--version'], {})).rejects.toThrow('there is no git on PATH that may be started');
  });
});
