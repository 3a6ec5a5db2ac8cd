import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type CheckedCommit, checkCommit } from '../../../activities/checks/check-commit.js';
import { takeOver } from '../../../activities/git/worktree/owner-mark.js';
import { openPlaceFolder } from '../../../activities/unit/place-record.js';
import { openWorkplace, type Workplace } from '../../../activities/unit/workplace.js';
import type { Policy } from '../../../protocol/run/policy.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { type OpenedHost, openHost } from './opened-host.js';

afterEach(removeFolders);

/** As for a base branch, which is no run's. */
const NAME = '@0123456789abcdef';

function openWithoutRun({ deps, run }: OpenedHost, policy: Partial<Policy>, owner = 'queue-1'): Workplace {
  const { repository, repoKey, sandbox } = run.record;
  const env = { PATH: process.env['PATH'] ?? '' };
  return openWorkplace(deps.home, {
    repoKey,
    name: NAME,
    owner,
    repository,
    sandbox,
    env,
    policy: { ...run.record.policy, ...policy },
  });
}

function checks(commands: readonly string[]): Pick<Policy, 'checks'> {
  const set = { commands, timeoutMs: 60_000, baseFailures: 'fix' } as const;
  return { checks: { validation: { ...set, onFailure: 'fix' }, landing: set } };
}

let seq = 0;

async function check({ deps, run }: OpenedHost, workplace: Workplace, commit: string): Promise<CheckedCommit> {
  seq += 1;
  const place = { runId: NAME, seq, token: randomUUID() };
  const dir = deps.home.turnDir(run.record.repoKey, NAME, place);
  const { signal } = new AbortController();
  const at = {
    deps,
    workplace,
    place: await openPlaceFolder(dir, { place }, 'process'),
    signals: { cancel: signal, detach: signal },
    teller: null,
  };
  return checkCommit(at, { checks: 'validation', commit, baseSha: run.record.baseSha, round: 0 });
}

describe('a workplace without a run', () => {
  it('checks a commit in a checkout of its own, set up anew for another config', async () => {
    const host = await openHost({ files: { 'a.txt': 'one\n', '.gitignore': 'set-up*\n' } });
    const commit = await host.change({ 'a.txt': 'two\n' });
    const { worktree } = host.run.record.policy;
    const open = (name: string) =>
      openWithoutRun(host, { worktree: { ...worktree, setup: [`touch ${name}`] }, ...checks([`ls set-up*`]) });

    for (const name of ['set-up', 'set-up', 'set-up-2']) await check(host, open(name), commit);

    expect(host.started).toEqual(['touch set-up', 'ls set-up*', 'ls set-up*', 'touch set-up-2', 'ls set-up*']);
  });

  it('checks a commit in a checkout of its own, set up once', async () => {
    const host = await openHost({ files: { 'a.txt': 'one\n', '.gitignore': 'set-up\n' } });
    const commit = await host.change({ 'a.txt': 'two\n' });
    const setup = { worktree: { ...host.run.record.policy.worktree, setup: ['touch set-up'] } };
    const workplace = openWithoutRun(host, { ...setup, ...checks(['grep two a.txt', 'test -f set-up']) });

    const { report } = await check(host, workplace, commit);
    const again = await check(host, workplace, commit);

    expect(report.summary).toEqual({ total: 2, passed: 2, failed: 0, environment: 0 });
    expect(again.report.summary).toEqual(report.summary);
    expect(report).toMatchObject({
      commit,
      tree: git(host.run.record.worktree, 'rev-parse', `${commit}^{tree}`).trim(),
    });
    expect(host.started.filter((line) => line === 'touch set-up')).toHaveLength(1);
  });

  it('finds a commit red, and what was red on the base before', async () => {
    const host = await openHost({ files: { 'a.txt': 'one\n', 'b.txt': 'bad\n' } });
    const commit = await host.change({ 'a.txt': 'bad\n' });
    const workplace = openWithoutRun(host, checks(['! grep bad a.txt', '! grep bad b.txt', 'true']));

    const { report } = await check(host, workplace, commit);

    expect(report.commands.map(({ status, failedOnBase }) => [status, failedOnBase])).toEqual([
      ['failed', false],
      ['failed', true],
      ['passed', false],
    ]);
  });

  it('writes in the checkout of another owner once it has taken it over, never before', async () => {
    const host = await openHost();
    const { baseSha } = host.run.record;
    const first = openWithoutRun(host, checks(['true']));
    const second = openWithoutRun(host, checks(['true']), 'queue-2');
    await check(host, first, baseSha);

    await expect(check(host, second, baseSha)).rejects.toThrow('it belongs to another workflow');
    await takeOver(second.checkout, 'queue-1', 'queue-2');
    expect((await check(host, second, baseSha)).report.summary.passed).toBe(1);
    await expect(check(host, first, baseSha)).rejects.toThrow('it belongs to another workflow');
  });

  it('leaves no branch, no worktree and no ref, and nothing in the folders of a run', async () => {
    const host = await openHost();
    const { root } = host.run.record.repository;
    const known = () => [git(root, 'for-each-ref'), git(root, 'worktree', 'list'), git(root, 'status', '--porcelain')];
    const before = known();

    await check(host, openWithoutRun(host, checks(['touch left && git tag mine'])), host.run.record.baseSha);

    expect(known()).toEqual(before);
    expect(existsSync(join(host.run.stateDir, 'validation.git'))).toBe(false);
  });
});
