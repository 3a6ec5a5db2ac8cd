import { execSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createCleanRun } from '../../../activities/closing/clean-run.js';
import { openRunGit } from '../../../activities/git/run/open-run-git.js';
import { addWorktree } from '../../../activities/git/worktree/add-worktree.js';
import { markClosedOnHost } from '../../../activities/unit/closed-mark.js';
import { createFlushJournal } from '../../../activities/unit/flush-journal.js';
import { noteLanded } from '../../../activities/unit/landed-mark.js';
import { enterQueueFolder } from '../../../activities/unit/queue-folder.js';
import { claimRun, locateRun, type RunOnHost } from '../../../activities/unit/run-record.js';
import type { CleanRunResult } from '../../../protocol/actors/clean.js';
import { queueName } from '../../../protocol/actors/merge-queue.js';
import { branchOf } from '../../../protocol/names.js';
import { itWhere } from '../../support/it-where.js';
import { canMount, smallDisk } from '../../support/small-disk.js';
import { git, removeFolders } from '../git/repository-fixture.js';
import { aView, events } from '../journal/journal-builders.js';
import { type HostOptions, type OpenedHost, openHost } from './opened-host.js';

afterEach(removeFolders);

/** A run that changed a file and closed, with what it leaves: a report for people, a validation checkout, turns, artifacts, a reset's ref. */
async function aClosedRun({ merged = true, ...options }: HostOptions & { merged?: boolean } = {}) {
  const host = await openHost({ files: { 'a.txt': 'one\n', '.gitignore': 'node_modules\n' }, ...options });
  const { record, stateDir } = host.run;
  const { root } = record.repository;
  const tip = await host.change({ 'a.txt': 'two\n' });
  git(root, 'update-ref', `refs/sluice/${record.runId}/reset-1`, record.baseSha);
  for (const dir of ['turns/1-x', 'artifacts', 'validation.git']) mkdirSync(join(stateDir, dir), { recursive: true });
  mkdirSync(record.runDir, { recursive: true });
  writeFileSync(join(record.runDir, 'report.md'), '# merge_ready\n');
  mkdirSync(`${record.worktree}+validation`);
  if (merged) git(root, 'merge', '--quiet', '--no-edit', '--no-ff', record.branch);
  markClosedOnHost(stateDir, 'merge_ready', 'process');
  return { ...host, root, tip };
}

function clean(host: OpenedHost, giveUp = false): Promise<CleanRunResult> {
  const { runId, repoKey } = host.run.record;
  return host.act(() => createCleanRun(host.deps)({ hostId: 'host', run: { runId, repoKey }, giveUp }));
}

/** A clean whose process dies once the refs are gone, before the folders are. */
async function killedAfterRefs(host: OpenedHost): Promise<void> {
  const validationWorktree = (repoKey: string, runId: string) => {
    if (leftOf(host).refs === '') throw new Error('killed');
    return host.deps.home.validationWorktree(repoKey, runId);
  };
  const dying = { ...host, deps: { ...host.deps, home: { ...host.deps.home, validationWorktree } } };
  await expect(clean(dying)).rejects.toThrow('killed');
  expect(leftOf(host).refs).toBe('');
}

/** What the workflow of a reset run sends from an open stage. */
async function flushAfterReset(host: OpenedHost): Promise<void> {
  const { runId, repoKey } = host.run.record;
  const journal = { events: events(1, 2), view: aView({ runId, status: 'executing', seq: 2 }), gates: null };
  await host.act(() => createFlushJournal(host.deps)({ run: { runId, repoKey }, journal }));
}

/** Everything that git and the sluice home still know of the run. */
function leftOf(host: OpenedHost) {
  const { record, stateDir } = host.run;
  const { root } = record.repository;
  return {
    refs: git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/sluice', 'refs/sluice').trim(),
    worktrees:
      git(root, 'worktree', 'list', '--porcelain')
        .split('\n')
        .filter((line) => line.startsWith('worktree ')).length - 1,
    folders: readdirSync(dirname(record.worktree)),
    state: readdirSync(stateDir).sort(),
  };
}

const CLEAN = { refs: '', worktrees: 0, folders: [], state: ['closed.json', 'run.json'] };

describe('cleaning a closed run', () => {
  it('takes away everything but what people read, and says what', async () => {
    const host = await aClosedRun();
    const { runDir, worktree } = host.run.record;

    const result = await clean(host);

    expect(result).toEqual({
      kind: 'cleaned',
      removed: [
        `branch sluice/run-1 (was ${host.tip.slice(0, 12)})`,
        expect.stringMatching(/^refs\/sluice\/run-1\/head/),
        expect.stringMatching(/^refs\/sluice\/run-1\/reset-1/),
        `worktree ${worktree}`,
        `validation checkout ${worktree}+validation`,
        expect.stringContaining('turns, artifacts'),
      ],
    });
    expect(leftOf(host)).toEqual(CLEAN);
    expect(readFileSync(join(runDir, 'report.md'), 'utf8')).toBe('# merge_ready\n');
    expect(git(host.root, 'status', '--porcelain')).toBe('?? .sluice/\n');
  });

  it('takes along what merge queues that are over left', async () => {
    const host = await aClosedRun();
    const queue = { repoKey: host.run.record.repoKey, branch: 'main' };
    const stateDir = host.deps.home.stateDir(queue.repoKey, queueName(queue));
    await enterQueueFolder(stateDir, queue, 'process');

    const result = await clean(host);

    expect(result).toMatchObject({ removed: expect.arrayContaining(['what the merge queue of main left']) });
    expect(existsSync(stateDir)).toBe(false);
  });

  it('a second time finds nothing left', async () => {
    const host = await aClosedRun();
    await clean(host);

    expect(await clean(host)).toEqual({ kind: 'cleaned', removed: [] });
  });

  it('leaves the id taken, for every workflow chain, and no key of an agent', async () => {
    const host = await aClosedRun();
    const { record, stateDir } = host.run;
    await clean(host);

    expect(readFileSync(join(stateDir, 'run.json'), 'utf8')).not.toContain('of-the-robot');
    expect(claimRun(stateDir, { ...record, firstExecutionRunId: 'chain-2' }, 'process').firstExecutionRunId).not.toBe(
      'chain-2',
    );
    expect(claimRun(stateDir, record, 'process').firstExecutionRunId).not.toBe(record.firstExecutionRunId);
  });

  it('touches no other run, also not one whose id begins alike', async () => {
    const host = await aClosedRun();
    for (const ref of ['refs/heads/sluice/run-12', 'refs/sluice/run-12/head'])
      git(host.root, 'update-ref', ref, host.tip);

    await clean(host);

    expect(leftOf(host).refs).toBe('refs/heads/sluice/run-12\nrefs/sluice/run-12/head');
  });

  it('removes links, not what they point to, and folders that a tool made read-only', async () => {
    const host = await aClosedRun();
    const { worktree } = host.run.record;
    const modules = join(host.root, 'node_modules');
    mkdirSync(modules);
    writeFileSync(join(modules, 'kept.js'), '');
    symlinkSync(modules, join(worktree, 'node_modules'));
    mkdirSync(`${worktree}+validation/cache/module`, { recursive: true });
    writeFileSync(`${worktree}+validation/cache/module/file`, '');
    chmodSync(`${worktree}+validation/cache/module`, 0o500);

    await clean(host);

    expect(leftOf(host)).toEqual(CLEAN);
    expect(existsSync(join(modules, 'kept.js'))).toBe(true);
  });

  it.each<[string, (host: Awaited<ReturnType<typeof aClosedRun>>) => void]>([
    ['the branch', ({ root }) => git(root, 'update-ref', '-d', 'refs/heads/sluice/run-1')],
    ['the folder of the worktree', ({ run }) => rmSync(run.record.worktree, { recursive: true })],
    [
      'the worktree as git removes it',
      ({ root, run }) => git(root, 'worktree', 'remove', '--force', run.record.worktree),
    ],
    ['the private git dir', ({ run }) => rmSync(join(run.stateDir, 'git'), { recursive: true })],
    ['everything but the record', ({ run }) => rmSync(join(run.stateDir, 'turns'), { recursive: true })],
  ])('finishes what a kill left after %s was removed', async (_name, kill) => {
    const host = await aClosedRun();
    kill(host);

    expect((await clean(host)).kind).toBe('cleaned');

    expect(leftOf(host)).toEqual(CLEAN);
  });

  it('cut off in the middle of the worktree is finished by the next one, which does not take its own deletions for changes', async () => {
    const host = await aClosedRun();
    await killedAfterRefs(host);
    rmSync(join(host.run.record.worktree, 'a.txt'));

    expect((await clean(host)).kind).toBe('cleaned');

    expect(leftOf(host)).toEqual(CLEAN);
  });

  it('cut off is off once a reset of the run goes on: what is only here counts again', async () => {
    const host = await aClosedRun();
    await killedAfterRefs(host);
    await flushAfterReset(host);
    writeFileSync(join(host.run.record.worktree, 'left.txt'), 'half a change\n');
    markClosedOnHost(host.run.stateDir, 'failed', 'process');

    expect(await clean(host)).toMatchObject({ kind: 'kept', why: expect.stringContaining('left.txt') });
  });

  itWhere(canMount(), 'no right to mount a tmpfs')(
    'goes on where its mark cannot be written, on the full disk that it empties',
    async () => {
      const host = await aClosedRun();
      const disk = smallDisk(host.run.stateDir, { size: '4m', filler: 'turns/1-x/filler' });
      try {
        disk.fillBut(0);

        expect((await clean(host)).kind).toBe('cleaned');

        expect(leftOf(host)).toEqual(CLEAN);
      } finally {
        disk.unmount();
      }
    },
  );

  it('of a cleaned run removes what a reset of it left', async () => {
    const host = await aClosedRun();
    await clean(host);
    mkdirSync(join(host.run.stateDir, 'turns/2-y'), { recursive: true });

    expect(await clean(host)).toEqual({ kind: 'cleaned', removed: [expect.stringContaining('turns')] });
    expect(leftOf(host)).toEqual(CLEAN);
  });

  it('whose repository is gone takes away what is left in the home', async () => {
    const host = await aClosedRun();
    rmSync(host.root, { recursive: true });

    expect((await clean(host)).kind).toBe('cleaned');

    expect(existsSync(host.run.record.worktree)).toBe(false);
    expect(readdirSync(host.run.stateDir).sort()).toEqual(CLEAN.state);
  });
});

describe('cleaning is refused, and nothing is removed,', () => {
  async function refusal(host: Awaited<ReturnType<typeof aClosedRun>>, giveUp = false): Promise<string> {
    const before = leftOf(host);
    const result = await clean(host, giveUp);
    expect(leftOf(host)).toEqual(before);
    if (result.kind !== 'kept') throw new Error('it was cleaned');
    expect(result.why.split('\n')).toHaveLength(4);
    expect(result.why.split('\n')[2]).toBe('Nothing was removed.');
    return result.why;
  }

  it('while the run is not closed on this host, given up or not', async () => {
    const host = await aClosedRun();
    rmSync(join(host.run.stateDir, 'closed.json'));

    expect(await refusal(host)).toContain('sluice abort run-1');
    expect(await refusal(host, true)).toContain('not closed on this host');
  });

  it('while its landing is open, given up or not', async () => {
    const host = await aClosedRun();
    const isOpen = async (workflowId: string, execution: string | null) =>
      workflowId === 'landing:run-1' && execution === null;
    const landing = { ...host, deps: { ...host.deps, isOpen } };

    expect(await refusal(landing)).toMatch(/its landing is open\.[^]*sluice landings drop run-1/);
    expect(await refusal(landing, true)).toContain('its landing is open');
    expect((await clean(host)).kind).toBe('cleaned');
  });

  it('not even of a run that repaired another, whose landing needs its head', async () => {
    const host = await aClosedRun();
    const { record, stateDir } = host.run;
    const owned = { ...record, input: { ...record.input, owner: 'landing:shop-1' } };
    writeFileSync(join(stateDir, 'run.json'), JSON.stringify(owned));
    const isOpen = async (workflowId: string) => workflowId === 'landing:shop-1';
    const landing = { ...host, deps: { ...host.deps, isOpen } };

    expect(await refusal(landing)).toMatch(/the landing of shop-1[^]*sluice landings drop shop-1/);
  });

  it('not for commits that are in their base as another, but for those that came after', async () => {
    const host = await aClosedRun({ merged: false });
    const { record, stateDir } = host.run;
    git(host.root, 'merge', '--quiet', '--squash', record.branch);
    // As a repaired conflict lands: no patch of the base is that of the branch.
    writeFileSync(join(host.root, 'a.txt'), 'two\nmended\n');
    git(host.root, 'commit', '--quiet', '--all', '--message', 'squashed');
    const commit = git(host.root, 'rev-parse', 'HEAD').trim();
    const branch = git(host.root, 'symbolic-ref', '--short', 'HEAD').trim();
    const { repoKey } = record;
    const base = { repoKey, branch };
    noteLanded(stateDir, { head: host.tip, base: { repoKey, branch: 'never' }, commit }, 'process');
    expect(await refusal(host)).toContain('holds 1 commit');
    noteLanded(stateDir, { head: record.baseSha, base, commit }, 'process');
    expect(await refusal(host)).toContain('holds 1 commit');
    noteLanded(stateDir, { head: host.tip, base, commit: host.tip }, 'process');
    expect(await refusal(host)).toContain('holds 1 commit');
    noteLanded(stateDir, { head: host.tip, base, commit }, 'process');

    expect((await clean(host)).kind).toBe('cleaned');
  });

  it('not for commits that were seen on the base of a forge, whose commits are not kept here', async () => {
    const host = await aClosedRun({ merged: false });
    const { stateDir } = host.run;
    const mark = { head: host.tip, base: { repoKey: 'owner/name', branch: 'main' }, commit: 'f'.repeat(40) };
    noteLanded(stateDir, mark, 'process');
    expect(await refusal(host)).toContain('holds 1 commit');
    noteLanded(stateDir, { ...mark, isThere: true }, 'process');

    expect((await clean(host)).kind).toBe('cleaned');
  });

  it('while its commits are nowhere else, until they are given up', async () => {
    const host = await aClosedRun({ merged: false });

    expect(await refusal(host)).toMatch(
      /holds 1 commit that is neither in main nor on any other branch[^]*sluice clean run-1 --give-up/,
    );

    expect((await clean(host, true)).kind).toBe('cleaned');
    expect(leftOf(host)).toEqual(CLEAN);
  });

  it('while the person has its branch checked out, given up or not', async () => {
    const host = await aClosedRun();
    git(host.run.record.worktree, 'checkout', '--quiet', '--detach');
    git(host.root, 'checkout', '--quiet', host.run.record.branch);

    expect(await refusal(host, true)).toMatch(/is checked out in [^]*git -C \S+ switch main/);
  });

  it('while git cannot read what its branch holds, until it is given up', async () => {
    const host = await aClosedRun({ merged: false });
    rmSync(join(host.root, '.git/objects', host.tip.slice(0, 2), host.tip.slice(2)));

    expect(await refusal(host)).toContain('git cannot tell what is only here');

    expect((await clean(host, true)).kind).toBe('cleaned');
  });

  it('while a worktree of the person stands on its branch', async () => {
    const host = await aClosedRun();
    const mine = join(dirname(host.root), "$x y's `z`");
    git(host.root, 'worktree', 'add', '--quiet', '--force', mine, host.run.record.branch);

    const why = await refusal(host);

    expect(why).toContain(`is checked out in ${mine}.`);
    execSync(why.split('\n')[3] ?? '');
    expect((await clean(host)).kind).toBe('cleaned');
  });

  it.each(['rebase-merge', 'rebase-apply'])('while the person rebases its branch (%s)', async (kind) => {
    const host = await aClosedRun();
    git(host.root, 'checkout', '--quiet', '--detach');
    mkdirSync(join(host.root, '.git', kind));
    writeFileSync(join(host.root, '.git', kind, 'head-name'), `refs/heads/${host.run.record.branch}\n`);

    expect(await refusal(host, true)).toMatch(/is being rebased in [^]*rebase --abort/);
  });

  it('while the person bisects from its branch', async () => {
    const host = await aClosedRun();
    git(host.root, 'checkout', '--quiet', '--detach');
    writeFileSync(join(host.root, '.git', 'BISECT_START'), `${host.run.record.branch}\n`);

    expect(await refusal(host, true)).toMatch(/is being bisected in [^]*bisect reset/);
  });

  it('while the person locked its worktree, given up or not', async () => {
    const host = await aClosedRun();
    git(host.root, 'worktree', 'lock', '--reason', 'I look at it', host.run.record.worktree);

    const why = await refusal(host, true);

    expect(why).toContain('is locked: I look at it');
    execSync(why.split('\n')[3] ?? '');
    expect((await clean(host)).kind).toBe('cleaned');
  });

  it('while a commit that a reset left is nowhere else', async () => {
    const host = await aClosedRun();
    const { baseSha } = host.run.record;
    const left = git(host.root, 'commit-tree', '-m', 'before the reset', '-p', baseSha, `${host.tip}^{tree}`).trim();
    git(host.root, 'update-ref', 'refs/sluice/run-1/reset-1', left);

    const why = await refusal(host);

    expect(why).toMatch(/: refs\/sluice\/run-1\/reset-1 holds 1 commit that is/);
    execSync((why.split('\n')[3] ?? '').replace(/ {4}or .*/, ''), { cwd: host.root });
    expect((await clean(host)).kind).toBe('cleaned');
  });

  it('while its branch is deleted and only its head ref holds its commits', async () => {
    const host = await aClosedRun({ merged: false });
    git(host.root, 'update-ref', '-d', 'refs/heads/sluice/run-1');

    expect(await refusal(host)).toContain('refs/sluice/run-1/head holds 1 commit');
  });

  it('while its record cannot be read, given up or not', async () => {
    const host = await aClosedRun();
    writeFileSync(join(host.run.stateDir, 'run.json'), '{');

    expect(await refusal(host, true)).toContain('its record is damaged');
  });

  it('while its worktree holds changes that are not committed, until they are given up', async () => {
    const host = await aClosedRun();
    writeFileSync(join(host.run.record.worktree, 'left.txt'), 'half a change\n');

    expect(await refusal(host)).toContain('not committed: left.txt');

    expect((await clean(host, true)).kind).toBe('cleaned');
  });
});

describe('commits of a closed run', () => {
  it.each<[string, (host: Awaited<ReturnType<typeof aClosedRun>>) => void]>([
    ['a branch of the person', ({ root, tip }) => git(root, 'branch', 'mine', tip)],
    ['a remote-tracking branch', ({ root, tip }) => git(root, 'update-ref', 'refs/remotes/origin/x', tip)],
  ])('may go when %s holds them', async (_name, keep) => {
    const host = await aClosedRun({ merged: false });
    keep(host);

    expect((await clean(host)).kind).toBe('cleaned');
  });
});

describe('two runs that hold the same commit', () => {
  it('cleaned at once do not lose it: one of them stays', async () => {
    const host = await openHost();
    const tip = await host.change({ 'a.txt': 'two\n' });
    const { record, stateDir } = host.run;
    const other = await aRewoundRun(host, tip);
    for (const dir of [stateDir, other.stateDir]) markClosedOnHost(dir, 'merge_ready', 'process');

    const results = await Promise.all([clean(host), clean({ ...host, run: other })]);

    expect(results.map(({ kind }) => kind).sort()).toEqual(['cleaned', 'kept']);
    expect(git(record.repository.root, 'branch', '--contains', tip)).toContain('sluice/run-');
  });
});

/** Another run whose branch stands at `tip`. */
async function aRewoundRun({ deps, run }: OpenedHost, tip: string): Promise<RunOnHost> {
  const runId = 'run-2';
  const worktree = deps.home.worktree(run.record.repoKey, runId);
  const record = { ...run.record, runId, firstExecutionRunId: 'chain-2', worktree, branch: branchOf(runId) };
  const stateDir = deps.home.stateDir(record.repoKey, runId);
  mkdirSync(stateDir, { recursive: true });
  claimRun(stateDir, record, 'process');
  await addWorktree({ ...record, owner: 'chain-2', baseSha: tip, path: worktree, formerOwner: null });
  const rewound = locateRun(deps.home, record);
  await (await openRunGit(rewound.workplace.git)).restore(tip);
  return rewound;
}
