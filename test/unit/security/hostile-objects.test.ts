/** Objects of some kilobytes that stand for more than a machine has: an agent writes them into its repository, and leaves HEAD at them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { readFileAt } from '../../../activities/git/refs/read-file-at.js';
import { assertTreeFits } from '../../../activities/git/refs/tree-size.js';
import { type GitResult, startGit } from '../../../activities/git/runner/start-git.js';
import { lastingTrouble } from '../../../activities/git/start/lasting-trouble.js';
import { GitError } from '../../../activities/git/start/run-git.js';
import { TooLarge } from '../../../activities/git/start/too-large.js';
import { git, type OpenedRun, openRun, removeFolders, tempFolder, write } from '../git/repository-fixture.js';

afterEach(removeFolders);

const IDENTITY = 'x <x@localhost> 1700000000 +0000';

function object(root: string, type: string, input: string | Buffer): string {
  return execFileSync('git', ['-C', root, 'hash-object', '-t', type, '-w', '--stdin'], {
    input,
    encoding: 'utf8',
  }).trim();
}

function commitOf(
  root: string,
  tree: string,
  rest: { readonly parents: readonly string[]; readonly message: string },
): string {
  const parents = rest.parents.map((parent) => `parent ${parent}\n`).join('');
  return object(
    root,
    'commit',
    `tree ${tree}\n${parents}author ${IDENTITY}\ncommitter ${IDENTITY}\n\n${rest.message}\n`,
  );
}

function treeOf(root: string, entries: readonly string[]): string {
  return execFileSync('git', ['-C', root, 'mktree'], {
    input: entries.map((entry) => `${entry}\n`).join(''),
    encoding: 'utf8',
  }).trim();
}

const START = { program: '/usr/bin/env', env: { PATH: process.env['PATH'] ?? '' } };

const TEN = [...Array(10).keys()];

const HOSTILE: Readonly<Record<string, (root: string, base: string) => string>> = {
  'a tree that stands for 10^10 paths': (root, base) => {
    const blob = object(root, 'blob', 'x');
    let tree = treeOf(
      root,
      TEN.map((n) => `100644 blob ${blob}\tf${n}`),
    );
    for (let level = 1; level < 10; level += 1)
      tree = treeOf(
        root,
        TEN.map((n) => `040000 tree ${tree}\td${n}`),
      );
    return commitOf(root, tree, { parents: [base], message: 'bomb' });
  },
  'a commit of 300 000 parents': (root, base) => {
    const tree = git(root, 'rev-parse', `${base}^{tree}`).trim();
    const other = commitOf(root, tree, { parents: [base], message: 'other' });
    return commitOf(root, tree, { parents: Array.from({ length: 300_000 }, () => other), message: 'bomb' });
  },
  'a pack of zeros': (root, base) => {
    const zeros = object(root, 'blob', Buffer.alloc(128 * 1024 * 1024));
    git(root, 'repack', '-q', '-a', '-d');
    const tree = treeOf(
      root,
      Array.from({ length: 1_000 }, (_, n) => `100644 blob ${zeros}\tzeros${n}`),
    );
    return commitOf(root, tree, { parents: [base], message: 'bomb' });
  },
  'a message of 64 MB': (root, base) =>
    commitOf(root, git(root, 'rev-parse', `${base}^{tree}`).trim(), {
      parents: [base],
      message: 'z'.repeat(64 * 1024 * 1024),
    }),
};

const HUGE = ['a tree that stands for 10^10 paths', 'a pack of zeros'];

/** As an agent leaves it: HEAD of its worktree stands at the commit. */
async function runWith(kind: string): Promise<{ readonly run: OpenedRun; readonly hostile: string }> {
  const run = await openRun({ 'a.txt': 'a\n' });
  const hostile = HOSTILE[kind]?.(run.repository.root, run.base) ?? '';
  git(run.worktree, 'update-ref', '--no-deref', 'HEAD', hostile);
  return { run, hostile };
}

describe.each(Object.keys(HOSTILE))('%s, committed by an agent that leaves HEAD there', (kind) => {
  it('does not keep the change of its worktree from being committed, nor the worktree from being put back', async () => {
    const { run } = await runWith(kind);
    write(run.worktree, 'a.txt', 'b\n');

    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2023-01-01T00:00:00Z',
      subject: 's',
      body: '',
    });

    expect((await run.run.diff(run.base, planned?.commit ?? '')).files.map(({ path }) => path)).toEqual(['a.txt']);
    expect(await run.run.restore(run.base)).toEqual({ kind: 'restored' });
    expect(readdirSync(run.worktree).sort()).toEqual(['.git', 'a.txt']);
    expect(git(run.repository.root, 'status', '--porcelain')).toBe('');
  }, 300_000);
});

describe.each(HUGE)('%s', (kind) => {
  it('is neither checked out nor compared, also where a person agreed to it', async () => {
    const { run, hostile } = await runWith(kind);

    const restored = await run.run.restore(hostile).catch((error: unknown) => error);
    const followed = await run.run.follow(hostile).catch((error: unknown) => error);

    const compared = await run.run.patch(run.base, hostile).catch((error: unknown) => error);

    for (const error of [restored, followed, compared])
      expect(lastingTrouble(error)).toContain('git was not let at it');
    expect(readdirSync(run.worktree).sort()).toEqual(['.git', 'a.txt']);
    expect(await run.run.standsAt(run.base)).toBe(true);
  }, 300_000);
});

describe('a git that looks at such objects', () => {
  it('is ended at its limit of output, and says so', async () => {
    const { run, hostile } = await runWith('a tree that stands for 10^10 paths');
    const start = { program: '/usr/bin/env', env: { PATH: process.env['PATH'] ?? '' }, maxBytes: 1024 * 1024 };

    const { limit } = await startGit({ ...start, args: ['git', '-C', run.repository.root, 'ls-tree', '-r', hostile] });

    expect(limit).toBe('output');
  }, 300_000);

  it('takes no gigabyte for one thing', async () => {
    const { repository } = await openRun();
    const zeros = join(tempFolder(), 'zeros');
    writeFileSync(zeros, '');
    truncateSync(zeros, 1_200_000_000);
    const env = { PATH: process.env['PATH'] ?? '' };

    const args = ['git', '-C', repository.root, 'commit-tree', 'HEAD^{tree}', '-F', zeros];
    const { exitCode, stderr } = await startGit({ program: '/usr/bin/env', args, env });

    expect({ exitCode, stderr }).toEqual({ exitCode: 128, stderr: expect.stringContaining('over limit') });
  });

  it('hands over no config of megabytes', async () => {
    const { repository, base } = await openRun({ 'large.yaml': 'x'.repeat(17 * 1024 * 1024) });

    await expect(readFileAt(repository, base, 'large.yaml')).rejects.toThrow('printed more than');
  });
});

describe('the size of a commit', () => {
  it('is asked for by one git of any version, once a commit', async () => {
    const { run, hostile } = await runWith('a pack of zeros');
    const started: (readonly string[])[] = [];
    const asOld = {
      try: async (args: readonly string[]) => {
        started.push(args);
        if (args.some((arg) => arg.startsWith('--format')))
          return { exitCode: 129, stdout: '', stderr: 'error: unknown option' };
        return startGit({ ...START, args: ['git', '-C', run.repository.root, ...args] });
      },
    };
    const { root } = run.repository;
    const commits = [hostile, git(root, 'commit-tree', `${run.base}^{tree}`, '-m', 'another').trim()];

    const found = [];
    for (const commit of [...commits, ...commits])
      found.push(await assertTreeFits(asOld, commit).catch((error: unknown) => error));

    expect(found).toEqual([expect.any(TooLarge), undefined, expect.any(TooLarge), undefined]);
    expect(started).toHaveLength(2);
  }, 300_000);

  it('is asked for again after a git that took too long, which says nothing of it', async () => {
    const late = { exitCode: 128, stdout: '', stderr: 'fatal: git did not end\n', limit: 'time' } as const;
    const answers: GitResult[] = [late, { exitCode: 0, stdout: '', stderr: '' }];
    const slow = { try: async () => answers.shift() ?? late };
    const commit = 'f'.repeat(40);

    await expect(assertTreeFits(slow, commit)).rejects.toThrow(GitError);

    await expect(assertTreeFits(slow, commit)).resolves.toBeUndefined();
  });
});
