/** Commits that an agent makes itself and that stay commits: which do, what of them, and which are folded all the same. Source: S-67. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { protectPaths } from '../../../activities/git/inspect/private-git-dir.js';
import { git, type OpenedRun, openRun, removeFolders, reopen, write } from './repository-fixture.js';

const CLAIMED_AT = '2020-01-01T00:00:00.000Z';
const TRAILERS = ['Sluice-Step: 2', 'Sluice-Attempt: 1'];

const request = (run: OpenedRun, keeps = true) => ({
  expectedHead: run.base,
  claimedAt: CLAIMED_AT,
  subject: 'step 2: add it',
  body: 'the body',
  trailers: TRAILERS,
  keeps,
});

function commit(run: OpenedRun, name: string, message = `own ${name}`): void {
  write(run.worktree, `${name}.txt`, `${name}\n`);
  git(run.worktree, 'add', '--all');
  git(run.worktree, 'commit', '--quiet', '-m', message);
}

async function plan(run: OpenedRun) {
  const planned = await run.run.plan(request(run));
  if (planned === null) throw new Error('nothing planned');
  return planned;
}

/** The subjects on the branch, oldest first. */
async function published(run: OpenedRun): Promise<readonly string[]> {
  await run.run.publish(await plan(run));
  return git(run.root, 'log', '--reverse', '--format=%s', `${run.base}..sluice/project-1`).trim().split('\n');
}

afterEach(removeFolders);

describe('commits of an agent that are kept', () => {
  it('stay commits in their order, below one of what is left', async () => {
    const run = await openRun();
    commit(run, 'a');
    commit(run, 'b');
    write(run.worktree, 'c.txt', 'c\n');

    const planned = await plan(run);

    expect(await published(run)).toEqual(['own a', 'own b', 'step 2: add it']);
    expect([planned.folded, planned.kept?.length, planned.made?.length]).toEqual([[], 2, 3]);
    expect(planned.made?.at(-1)).toBe(git(run.root, 'rev-parse', 'sluice/project-1').trim());
    expect(git(run.worktree, 'status', '--porcelain')).toBe('');
    for (const made of planned.made ?? [])
      expect(git(run.root, 'log', '-1', '--format=%(trailers)', made)).toContain('Sluice-Step: 2');
  });

  it('are all that there is where the agent left nothing', async () => {
    const run = await openRun();
    commit(run, 'a');
    git(run.worktree, 'commit', '--quiet', '--allow-empty', '-m', 'says something, changes nothing');

    expect(await published(run)).toEqual(['own a']);
  });

  it('have the name and times of the engine, whoever they say that they are of, and the same ids at a second attempt', async () => {
    const run = await openRun();
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--all');
    git(run.worktree, 'commit', '--quiet', '--author', 'Some One <some@one.example>', '-m', 'forged \u001b[31m');

    const { commit: made } = await plan(run);

    expect(git(run.root, 'log', '-1', '--format=%an %ad', '--date=unix', made)).not.toContain('Some One');
    expect(git(run.root, 'log', '-1', '--format=%at', made).trim()).toBe(`${Date.parse(CLAIMED_AT) / 1000}`);
    expect(git(run.root, 'log', '-1', '--format=%B', made)).not.toContain('\u001b');
    expect((await plan({ ...run, run: await reopen(run) })).commit).toBe(made);
  });

  it('have no secret in their message', async () => {
    const run = await openRun();
    commit(run, 'a', `use ghp_${'a1'.repeat(18)}`);

    expect(await published(run)).toEqual(['use [redacted:github-token]']);
  });

  it.each<[string, (run: OpenedRun) => unknown]>([
    ['a merge', (run) => mergeSide(run)],
    ['an amended base', (run) => git(run.worktree, 'commit', '--quiet', '--amend', '-m', 'another base')],
    ['more than fifty', (run) => commitMany(run, 51)],
    ['a tree that no index takes', (run) => commitTree(run, { '.git': BLOB })],
    ['a tree that git does not sort so', (run) => commitTree(run, { 'b.txt': BLOB, 'a.txt': BLOB })],
    ['a tree with a file that is not there', (run) => commitTree(run, { 'a.txt': 'f'.repeat(40) })],
  ])('are folded where they are %s', async (_, prepare) => {
    const run = await openRun();
    prepare(run);
    write(run.worktree, 'rest.txt', 'rest\n');

    const planned = await plan(run);

    expect([planned.kept, planned.made?.length]).toEqual([[], 1]);
    expect(await published(run)).toEqual(['step 2: add it']);
  });

  it('are folded where one has a file that is never staged', async () => {
    const first = await openRun();
    await protectPaths(first.gitDir, ['.env']);
    const run = { ...first, run: await reopen(first) };
    write(run.worktree, '.env', 'KEY=1\n');
    write(run.worktree, 'a.txt', 'a\n');
    git(run.worktree, 'add', '--force', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'with what is not theirs');

    expect((await plan(run)).kept).toEqual([]);
    expect(git(run.root, 'ls-tree', '--name-only', (await plan(run)).commit)).not.toContain('.env');
  });
});

function mergeSide(run: OpenedRun): void {
  git(run.worktree, 'checkout', '--quiet', '-b', 'side');
  commit(run, 'side');
  git(run.worktree, 'checkout', '--quiet', 'sluice/project-1');
  commit(run, 'main');
  git(run.worktree, 'merge', '--quiet', '--no-edit', 'side');
}

function commitMany(run: OpenedRun, count: number): void {
  for (let n = 0; n < count; n += 1) commit(run, `n${n}`);
}

/** Of the text x. */
const BLOB = '587be6b4c3f93f93c489c0111bba5596147a26cb';

/** A commit of a tree whose bytes were written by hand, so that git has judged nothing of it. */
function commitTree(run: OpenedRun, files: Readonly<Record<string, string>>): void {
  const input = (text: string | Buffer) => ({ cwd: run.worktree, input: text, encoding: 'utf8' as const });
  execFileSync('git', ['hash-object', '-w', '--stdin'], input('x\n'));
  const entries = Object.entries(files).map(([name, blob]) =>
    Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]),
  );
  const write = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
  const tree = execFileSync('git', write, input(Buffer.concat(entries))).trim();
  const made = execFileSync('git', ['commit-tree', tree, '-p', run.base, '-m', 'by hand'], input('')).trim();
  git(run.worktree, 'update-ref', 'refs/heads/sluice/project-1', made);
}
