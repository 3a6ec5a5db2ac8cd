/** Repositories of absurd sizes: a huge file, very many files, paths deeper than the system takes, lines that never end. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkDiff } from '../../../activities/git/inspect/diff-check.js';
import { lastingTrouble } from '../../../activities/git/start/lasting-trouble.js';
import { removeFolder, removeWorktree } from '../../../activities/git/worktree/remove-worktree.js';
import {
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  tempFolder,
  write,
} from '../git/repository-fixture.js';

const HUGE_BYTES = 200 * 1024 * 1024;

afterEach(removeFolders);

async function planTurn(run: OpenedRun) {
  const planned = await run.run.plan({
    expectedHead: run.base,
    claimedAt: '2026-11-21T10:00:00Z',
    subject: 's',
    body: '',
  });
  if (planned === null) throw new Error('nothing planned');
  return planned.commit;
}

/** Far faster than files and an index. Answers the repository. */
function imported(script: string): string {
  const root = join(tempFolder(), 'project');
  mkdirSync(root);
  git(root, 'init', '--quiet', '--initial-branch=main');
  execFileSync('git', ['-C', root, 'fast-import', '--quiet'], { input: script });
  return root;
}

const HEAD_OF_IMPORT = 'commit refs/heads/main\ncommitter x <x@localhost> 1700000000 +0000\ndata 1\nx\n';

describe('a file of 200 MB', () => {
  it('in the base commit is checked out, and left alone by a turn', async () => {
    const root = makeRepository({ 'a.txt': 'a\n' });
    writeFileSync(join(root, 'huge.bin'), '');
    truncateSync(join(root, 'huge.bin'), HUGE_BYTES);
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'huge');
    const run = await openRun(undefined, root);
    write(run.worktree, 'a.txt', 'b\n');

    const commit = await planTurn(run);
    const { files } = await run.run.diff(run.base, commit);

    expect(statSync(join(run.worktree, 'huge.bin')).size).toBe(HUGE_BYTES);
    expect(files.map(({ path }) => path)).toEqual(['a.txt']);

    appendFileSync(join(run.worktree, 'huge.bin'), 'x');
    const changed = await planTurn(run);
    const error = await run.run.diff(run.base, changed).catch((caught: unknown) => caught);

    expect(lastingTrouble(error)).toMatch(
      /^the change from \w+ to \w+ is a patch of more than 64 MiB, too large to check/,
    );
  }, 300_000);
});

describe('a change of 70 MB', () => {
  it('is refused before the worker, whose heap is bounded, takes it apart', async () => {
    const run = await openRun();
    write(run.worktree, 'dump.sql', `${'x'.repeat(999)}\n`.repeat(70_000));

    const error = await run.run.diff(run.base, await planTurn(run)).catch((caught: unknown) => caught);

    expect(lastingTrouble(error)).toContain('more than 64 MiB');
  }, 300_000);
});

describe('a change of one endless line', () => {
  it('is checked, and its findings are as short as any', async () => {
    const run = await openRun();
    write(run.worktree, 'line.txt', 'x'.repeat(20 * 1024 * 1024));
    const diff = await run.run.diff(run.base, await planTurn(run));

    const { findings } = await checkDiff({ worktree: run.worktree, diff, block: ['/^x{3}/', 'line.*'], guarded: [] });

    expect(findings.map(({ rule }) => rule)).toEqual(['block', 'block']);
    expect(JSON.stringify(findings).length).toBeLessThan(1_000);
  });
});

describe('very many files', () => {
  it('are checked out, changed and committed', async () => {
    const count = 5_000;
    const names = Array.from({ length: count }, (_, n) => `${n % 100}/${n}`);
    const run = await openRun(
      undefined,
      imported(`blob\nmark :1\ndata 1\nx\n${HEAD_OF_IMPORT}${names.map((name) => `M 100644 :1 ${name}\n`).join('')}`),
    );
    for (const name of names.slice(0, 500)) write(run.worktree, name, 'changed\n');

    const { files } = await run.run.diff(run.base, await planTurn(run));

    expect(files).toHaveLength(500);
  }, 300_000);
});

describe('a path that is deeper than the system takes', () => {
  it('cannot be checked out, which is said in one line', async () => {
    const deep = Array.from({ length: 1_500 }, () => 'ab').join('/');
    const root = imported(`blob\nmark :1\ndata 1\nx\n${HEAD_OF_IMPORT}M 100644 :1 a.txt\nM 100644 :1 ${deep}\n`);

    const error = await openRun(undefined, root).catch((caught: unknown) => caught);

    expect(lastingTrouble(error)).toMatch(/^fatal: cannot create directory at 'ab\/ab\//);
    expect(lastingTrouble(error)?.length).toBeLessThan(3_000);
    const worktree = git(root, 'worktree', 'list', '--porcelain').split('worktree ').at(-1)?.split('\n')[0] ?? '';
    expect(await removeFolder(worktree)).toBe(true);
  });

  it('and that an agent made by relative steps is removed with the worktree', async () => {
    const run = await openRun();
    const steps =
      "const d = 'd'.repeat(100); for (let i = 0; i < 60; i += 1) { fs.mkdirSync(d); process.chdir(d); } fs.writeFileSync('file', 'x')";
    execFileSync(process.execPath, ['-e', steps], { cwd: run.worktree });
    expect(() => rmSync(run.worktree, { recursive: true })).toThrow('ENAMETOOLONG');

    expect(await removeWorktree(run.repository.commonDir, run.worktree)).toBe(true);

    expect(existsSync(run.worktree)).toBe(false);
  });
});

describe('a change of more lines than the process has room for', () => {
  it('is refused before it is taken apart', async () => {
    const run = await openRun();
    write(run.worktree, 'lines.txt', '\n'.repeat(1_100_000));
    const changed = await planTurn(run);

    const error = await run.run.diff(run.base, changed).catch((caught: unknown) => caught);

    expect(lastingTrouble(error)).toMatch(
      /^the change from \w+ to \w+ has more than 1000000 lines, too many to check;/,
    );
  });

  it('is read where it has a few less', async () => {
    const run = await openRun();
    write(run.worktree, 'lines.txt', '\n'.repeat(900_000));

    const { files } = await run.run.diff(run.base, await planTurn(run));

    expect(files).toMatchObject([{ path: 'lines.txt', added: 900_000 }]);
  });
});
