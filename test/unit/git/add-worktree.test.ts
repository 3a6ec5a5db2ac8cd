import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { findAdminDir } from '../../../activities/git/refs/worktree-registration.js';
import { type AddWorktreeInput, addWorktree } from '../../../activities/git/worktree/add-worktree.js';
import { ownerMarkOf } from '../../../activities/git/worktree/owner-mark.js';
import { FAILURES } from '../../../protocol/failures.js';
import { readRefusal } from '../../../protocol/text/refusal.js';
import { canaryProgram, git, makeRepository, removeFolders, tempFolder, write } from './repository-fixture.js';

/** V-16 names 130; 60 meet the same races in half the time. SLUICE_CONCURRENT_WORKTREES=130 does the full number. */
const CONCURRENT = Number(process.env['SLUICE_CONCURRENT_WORKTREES'] ?? 60);

async function anInput(runId = 'project-1', root = makeRepository(), home = tempFolder()): Promise<AddWorktreeInput> {
  const repository = await findRepository(root);
  const baseSha = git(root, 'rev-parse', 'HEAD').trim();
  const path = join(home, 'worktrees', runId);
  return { repository, runId, owner: 'chain-1', branch: `sluice/${runId}`, baseSha, path, formerOwner: null };
}

const worktreesOf = (root: string) =>
  git(root, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '));

afterEach(removeFolders);

describe('adding the worktree of a run', () => {
  it('makes a real worktree on its own branch at the recorded commit', async () => {
    const input = await anInput();

    expect(await addWorktree(input)).toBe('made');

    expect(worktreesOf(input.repository.root)).toContain(`worktree ${input.path}`);
    expect(git(input.path, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/sluice/project-1');
    expect(git(input.repository.root, 'rev-parse', 'sluice/project-1').trim()).toBe(input.baseSha);
  });

  it('finds it present the second time', async () => {
    const input = await anInput();
    await addWorktree(input);

    expect(await addWorktree(input)).toBe('present');
  });

  it(`makes ${CONCURRENT} at once in one repository without a failure`, async () => {
    const root = makeRepository();
    const home = tempFolder();
    const inputs = await Promise.all(Array.from({ length: CONCURRENT }, (_, i) => anInput(`project-${i}`, root, home)));

    const results = await Promise.allSettled(inputs.map((input) => addWorktree(input)));

    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(worktreesOf(root)).toHaveLength(CONCURRENT + 1);
  }, 300_000);

  it('holds against other processes that add worktrees and branches at the same time', async () => {
    const root = makeRepository();
    const home = tempFolder();
    const script = `i=0; while [ $i -lt 25 ]; do git worktree add --quiet -b other-$i '${home}'/other-$i; git pack-refs --all; i=$((i+1)); done`;
    const other = spawn('/bin/sh', ['-c', script], { cwd: root, stdio: 'ignore' });
    const ended = new Promise((resolve) => other.once('exit', resolve));
    const inputs = await Promise.all(Array.from({ length: 15 }, (_, i) => anInput(`project-${i}`, root, home)));

    const results = await Promise.allSettled(inputs.map((input) => addWorktree(input)));
    await ended;

    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  }, 300_000);

  it('waits for a ref that another process holds', async () => {
    const input = await anInput();
    const lock = join(input.repository.commonDir, 'refs', 'heads', 'sluice', 'project-1.lock');
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, '');
    const released = setTimeout(() => rmSync(lock), 1500);

    expect(await addWorktree(input)).toBe('made');
    clearTimeout(released);
  });

  it('runs no hook of the repository', async () => {
    const input = await anInput();
    const { program, canary } = canaryProgram(tempFolder());
    for (const hook of ['post-checkout', 'reference-transaction'])
      execFileSync('cp', [program, join(input.repository.commonDir, 'hooks', hook)]);
    git(input.repository.root, 'config', 'core.fsmonitor', program);

    await addWorktree(input);

    expect(existsSync(canary)).toBe(false);
  });
});

describe('what belongs to somebody else', () => {
  const refusal = expect.objectContaining({ type: FAILURES.RunExists, nonRetryable: true });

  it.each([
    ['a branch', (input: AddWorktreeInput) => git(input.repository.root, 'branch', 'sluice/project-1')],
    ['a folder', (input: AddWorktreeInput) => mkdirSync(input.path, { recursive: true })],
    [
      'a kept head',
      (input: AddWorktreeInput) => git(input.repository.root, 'update-ref', 'refs/sluice/project-1/reset-1', 'HEAD'),
    ],
    [
      'a worktree that stands on the branch, which is gone,',
      (input: AddWorktreeInput) => {
        git(
          input.repository.root,
          'worktree',
          'add',
          '--quiet',
          '-b',
          'sluice/project-1',
          join(tempFolder(), 'theirs'),
        );
        git(input.repository.root, 'update-ref', '-d', 'refs/heads/sluice/project-1');
      },
    ],
    [
      'a branch with the name of the folder of runs',
      (input: AddWorktreeInput) => git(input.repository.root, 'branch', 'sluice'),
    ],
    ['a branch below', (input: AddWorktreeInput) => git(input.repository.root, 'branch', 'sluice/project-1/side')],
    [
      'a worktree at the path',
      (input: AddWorktreeInput) => git(input.repository.root, 'worktree', 'add', '--quiet', '-b', 'theirs', input.path),
    ],
  ])('refuses %s of the run name and changes nothing', async (_, make) => {
    const input = await anInput();
    make(input);
    const before = [git(input.repository.root, 'for-each-ref'), worktreesOf(input.repository.root)];

    await expect(addWorktree(input)).rejects.toEqual(refusal);

    expect(existsSync(ownerMarkOf(input.path))).toBe(false);
    expect([git(input.repository.root, 'for-each-ref'), worktreesOf(input.repository.root)]).toEqual(before);
  });

  it.each(['sluice', "sluice/project-1/it's"])(
    'names the branch %s that is in the way, and the command that mends it',
    async (theirs) => {
      const input = await anInput();
      git(input.repository.root, 'branch', theirs);

      const refused = await addWorktree(input).catch((error: unknown) => error);
      const parts = readRefusal(refused);
      execFileSync('sh', ['-c', parts?.mend.replace(/^[^:]*: /, '') ?? ''], { cwd: tempFolder() });

      expect(parts?.what).toBe(`Branch sluice/project-1 cannot be made: there is a branch ${theirs}.`);
      expect(await addWorktree(input)).toBe('made');
    },
  );

  it('refuses to go on from another commit than the one it began with', async () => {
    const input = await anInput();
    await addWorktree(input);
    git(input.repository.root, 'commit', '--quiet', '--allow-empty', '-m', 'more');

    await expect(
      addWorktree({ ...input, baseSha: git(input.repository.root, 'rev-parse', 'HEAD').trim() }),
    ).rejects.toEqual(refusal);
  });

  it('refuses another owner, and a mark that is none', async () => {
    const input = await anInput();
    await addWorktree(input);

    await expect(addWorktree({ ...input, owner: 'chain-2' })).rejects.toThrow('it belongs to another workflow');
    write(ownerMarkOf(input.path), 'chain-2', 'another');
    await expect(addWorktree(input)).rejects.toThrow('what says whose it is was changed');
  });
});

describe('what git knows of a worktree', () => {
  it('is found under the last part of its path, numbered where that is taken, and under no name of another run', async () => {
    const input = await anInput();
    const { commonDir, root } = input.repository;
    git(root, 'worktree', 'add', '--quiet', '-b', 'theirs', join(tempFolder(), 'project-1'));
    await addWorktree(input);
    const numbered = join(commonDir, 'worktrees', 'project-11');

    expect(await findAdminDir(commonDir, input.path)).toBe(numbered);
    expect(await addWorktree(input)).toBe('present');

    // As a newer git writes it in a repository with `worktree.useRelativePaths`.
    write(numbered, 'gitdir', `${relative(numbered, join(input.path, '.git'))}\n`);
    expect(await findAdminDir(commonDir, input.path)).toBe(numbered);

    renameSync(numbered, join(commonDir, 'worktrees', 'project-1-of-another-run'));

    expect(await findAdminDir(commonDir, input.path)).toBeNull();
  });
});

describe('what a killed attempt left', () => {
  const admin = (input: AddWorktreeInput) => join(input.repository.commonDir, 'worktrees', 'project-1');

  it.each([
    [
      'the marker alone',
      (input: AddWorktreeInput) =>
        git(input.repository.root, 'worktree', 'remove', '--force', input.path) &&
        git(input.repository.root, 'branch', '-D', 'sluice/project-1'),
    ],
    [
      'marker and branch',
      (input: AddWorktreeInput) => git(input.repository.root, 'worktree', 'remove', '--force', input.path),
    ],
    [
      'an admin folder without gitdir',
      (input: AddWorktreeInput) => {
        rmSync(input.path, { recursive: true });
        for (const name of readdirSync(admin(input))) rmSync(join(admin(input), name), { recursive: true });
        writeFileSync(join(admin(input), 'locked'), 'initializing');
      },
    ],
    [
      'an admin folder whose commondir is not written',
      (input: AddWorktreeInput) => {
        writeFileSync(join(admin(input), 'commondir'), '');
        writeFileSync(join(admin(input), 'locked'), 'initializing');
      },
    ],
    ['an admin folder without the worktree', (input: AddWorktreeInput) => rmSync(input.path, { recursive: true })],
    ['a worktree without its .git file', (input: AddWorktreeInput) => rmSync(join(input.path, '.git'))],
    ['a worktree that is not registered', (input: AddWorktreeInput) => rmSync(admin(input), { recursive: true })],
  ])('is made whole: %s', async (_, breakIt) => {
    const input = await anInput();
    await addWorktree(input);
    breakIt(input);

    expect(await addWorktree(input)).toBe('made');

    expect(worktreesOf(input.repository.root)).toEqual([`worktree ${input.repository.root}`, `worktree ${input.path}`]);
    expect(git(input.path, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/sluice/project-1');
    expect(await addWorktree(input)).toBe('present');
  });

  it('keeps files that it finds at the path, beside it', async () => {
    const input = await anInput();
    await addWorktree(input);
    write(input.path, 'work.txt', 'an hour of it');
    rmSync(admin(input), { recursive: true });

    await addWorktree(input);

    const kept = readdirSync(join(input.path, '..')).filter((name) => name.includes('.found-'));
    expect(kept).toHaveLength(1);
    expect(existsSync(join(input.path, '..', kept[0] ?? '', 'work.txt'))).toBe(true);
  });
});
