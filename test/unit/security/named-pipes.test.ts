/** FIFOs where git or the engine opens a file: nobody writes to them, so whoever opens one would wait for ever. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startGit } from '../../../activities/git/runner/start-git.js';
import { findGitProgram } from '../../../activities/git/start/git-program.js';
import { lastingTrouble } from '../../../activities/git/start/lasting-trouble.js';
import { GitError } from '../../../activities/git/start/run-git.js';
import {
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  tempFolder,
  write,
} from '../git/repository-fixture.js';

const makeFifo = (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]);

async function commitTurn(run: OpenedRun) {
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2026-11-21T10:00:00Z',
    subject: 's',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  await run.run.publish(planned);
  return planned.commit;
}

afterAll(removeFolders);

describe('a FIFO in a worktree', () => {
  it.concurrent('in the place of .gitignore and .gitattributes holds up neither a turn nor a restore', async () => {
    const run = await openRun({ '.gitignore': 'x\n', 'a.txt': 'a\n' });
    rmSync(join(run.worktree, '.gitignore'));
    for (const name of ['.gitignore', '.gitattributes']) makeFifo(join(run.worktree, name));
    write(run.worktree, 'a.txt', 'changed\n');

    const commit = await commitTurn(run);

    expect(git(run.root, 'ls-tree', '--name-only', commit).split('\n')).toEqual(['a.txt', '']);
    mkdirSync(join(run.worktree, 'new'));
    makeFifo(join(run.worktree, 'new/.gitignore'));
    await run.run.restore(commit);
    expect(existsSync(join(run.worktree, 'new/.gitignore'))).toBe(false);
    expect(await run.run.changes()).toEqual([]);
  });

  it.concurrent('in the git dir of a nested repository holds up nothing', async () => {
    const run = await openRun();
    makeRepository({ 'x.txt': 'x' }, join(run.worktree, 'nested'));
    rmSync(join(run.worktree, 'nested/.git/HEAD'));
    makeFifo(join(run.worktree, 'nested/.git/HEAD'));

    await run.run.changes();
    await run.run.restore(run.base);

    expect(await run.run.changes()).toEqual([]);
  });

  it.concurrent('in the place of a tracked file is said by git, and removed by a restore', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    rmSync(join(run.worktree, 'a.txt'));
    makeFifo(join(run.worktree, 'a.txt'));

    const error = await commitTurn(run).catch((caught: unknown) => caught);
    await run.run.restore(run.base);

    expect(lastingTrouble(error)).toContain('a.txt');
    expect(await run.run.changes()).toEqual([]);
  });
});

describe('a FIFO that a repository names', () => {
  it('as its excludes is not opened', async () => {
    const root = makeRepository();
    const fifo = join(tempFolder(), 'fifo');
    makeFifo(fifo);
    git(root, 'config', 'core.excludesFile', fifo);

    const run = await openRun(undefined, root);

    expect(await run.run.changes()).toEqual([]);
  });

  it('as an included config holds git up to its time limit, which is said', async () => {
    const root = makeRepository();
    const fifo = join(tempFolder(), 'fifo');
    makeFifo(fifo);
    git(root, 'config', 'include.path', fifo);
    const { program, path } = findGitProgram();

    const result = await startGit({
      program,
      args: ['-C', root, 'rev-parse', 'HEAD'],
      env: { PATH: path },
      limitMs: 500,
    });

    expect(result).toMatchObject({ exitCode: 128, stdout: '' });
    expect(lastingTrouble(new GitError(['rev-parse'], result))).toBe(
      'fatal: git did not end within 500 ms and was ended',
    );
  });
});
