/** What a closed run gives back of the disk, at once and after a while, and what it never does. Real git and real commands. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { lacksSetup, noteSetUp } from '../../../activities/checks/setup-files.js';
import { createCleanRun } from '../../../activities/closing/clean-run.js';
import { giveBackRoom, removeOldWorktree } from '../../../activities/closing/give-back-room.js';
import { CLOSED_FILE, markClosedOnHost } from '../../../activities/unit/closed-mark.js';
import { isMerged, isSquashed } from '../../../client/repository.js';
import { landingId } from '../../../protocol/names.js';
import { sweep } from '../../../worker/sweep-worktrees.js';
import { git, removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openHost } from './opened-host.js';

afterEach(removeFolders);

const SET_UP = {
  setup: ['npm ci'],
  copy: [],
  link: [],
  setupInputs: [],
  keep: [],
  setupTimeoutMs: 60_000,
  keptMs: null,
};

const DAY = 24 * 60 * 60 * 1_000;

/** A run that changed a file, in a worktree that was set up with a package and a link to one. */
async function aClosedRun() {
  const host = await openHost({
    files: { 'a.txt': 'one\n', '.gitignore': 'node_modules\nlinked\nbuild\n' },
    policy: { worktree: SET_UP },
  });
  const { worktree } = host.run.record;
  const outside = join(tempFolder(), 'packages');
  mkdirSync(outside);
  writeFileSync(join(outside, 'kept.js'), 'of the person');
  mkdirSync(join(worktree, 'node_modules/left-pad'), { recursive: true });
  writeFileSync(join(worktree, 'node_modules/left-pad/index.js'), 'x');
  symlinkSync(outside, join(worktree, 'linked'));
  await noteSetUp(host.run.workplace, 'process');
  mkdirSync(join(worktree, 'build'));
  const tip = await host.change({ 'a.txt': 'two\n' });
  mkdirSync(`${worktree}+validation/node_modules`, { recursive: true });
  writeFileSync(join(host.run.stateDir, 'validation-setup.json'), '{}');
  markClosedOnHost(host.run.stateDir, 'merge_ready', 'process');
  return { ...host, worktree, outside, tip };
}

type Closed = Awaited<ReturnType<typeof aClosedRun>>;

const keptFor = ({ run }: Closed, keptMs: number | null) => ({
  ...run,
  record: { ...run.record, policy: { ...run.record.policy, worktree: { ...run.record.policy.worktree, keptMs } } },
});

const isOld = (host: Closed, isOpen = host.deps.isOpen, keptMs: number | null = DAY) =>
  removeOldWorktree({ isOpen }, keptFor(host, keptMs), Date.now() + 2 * DAY);

describe('a run that closes', () => {
  it('gives back its validation checkout and what its set-up made, and keeps what it and others made', async () => {
    const host = await aClosedRun();

    await giveBackRoom({ ...host.deps, warn: fail }, host.run);

    const left = (name: string) => existsSync(join(host.worktree, name));
    expect(['node_modules', 'linked', 'build', 'a.txt'].map(left)).toEqual([false, false, true, true]);
    expect(existsSync(`${host.worktree}+validation`)).toBe(false);
    expect(existsSync(join(host.run.stateDir, 'validation-setup.json'))).toBe(false);
    expect(readFileSync(join(host.outside, 'kept.js'), 'utf8')).toBe('of the person');
    expect(await host.git.changes()).toEqual([]);
    expect(lacksSetup(host.run.workplace)).toBe(true);
  });

  it('gives it back once, and what somebody installs there afterwards is theirs until the next set-up', async () => {
    const host = await aClosedRun();

    await giveBackRoom({ ...host.deps, warn: fail }, host.run);
    await giveBackRoom({ ...host.deps, warn: fail }, host.run);
    await noteSetUp(host.run.workplace, 'process');

    expect(lacksSetup(host.run.workplace)).toBe(false);
  });

  it('does not stay open for it', async () => {
    const host = await aClosedRun();
    const warnings: string[] = [];
    writeFileSync(join(host.run.stateDir, 'setup-files.json'), '{"paths":["node_modules/"]}');
    const broken = { ...host.run, workplace: { ...host.run.workplace, checkout: '/proc/1/nothing/\0' } };

    await giveBackRoom({ ...host.deps, warn: (message) => warnings.push(message) }, broken);

    expect(warnings).toEqual([expect.stringContaining('sluice clean')]);
  });
});

describe('the worktree of a run that is closed for long', () => {
  it('goes, and its branch, refs and commits stay', async () => {
    const host = await aClosedRun();

    expect(await isOld(host)).toBe(true);
    expect(existsSync(host.worktree)).toBe(false);
    expect(git(host.run.record.repository.root, 'rev-parse', host.run.record.branch).trim()).toBe(host.tip);
    expect(git(host.run.record.repository.root, 'worktree', 'list', '--porcelain')).not.toContain(host.worktree);
    expect(await isOld(host)).toBe(false);
  });

  it.each<[string, (host: Closed) => unknown]>([
    ['something in it is not saved', ({ worktree }) => writeFileSync(join(worktree, 'mine.txt'), 'x')],
    [
      'somebody committed there',
      ({ worktree }) =>
        git(worktree, '-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--allow-empty', '-qm', 'mine'),
    ],
    ['a person locked it', ({ worktree, run }) => git(run.record.repository.root, 'worktree', 'lock', worktree)],
    [
      'it is not closed for so long',
      ({ run }) => utimesSync(join(run.stateDir, CLOSED_FILE), new Date(), new Date(Date.now() + 1.5 * DAY)),
    ],
  ])('stays where %s', async (_, change) => {
    const host = await aClosedRun();
    change(host);

    expect(await isOld(host)).toBe(false);
    expect(existsSync(join(host.worktree, 'a.txt'))).toBe(true);
  });

  it('stays while its landing is open, and where the config says never', async () => {
    const host = await aClosedRun();

    expect(await isOld(host, async (workflow) => workflow === landingId('run-1'))).toBe(false);
    expect(await isOld(host, host.deps.isOpen, null)).toBe(false);
    expect(existsSync(host.worktree)).toBe(true);
  });
});

describe('a worker that looks after worktrees', () => {
  it('removes those that are old; of what it cannot tell it says so, and looks again', async () => {
    const host = await aClosedRun();
    const { record, stateDir } = keptFor(host, DAY);
    writeFileSync(join(stateDir, 'run.json'), JSON.stringify(record));
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const away = async () => {
      throw new Error('the server is away');
    };

    await sweep({ deps: host.deps, warn }, Date.now());
    await sweep({ deps: { ...host.deps, isOpen: away }, warn }, Date.now() + 2 * DAY);
    expect([existsSync(host.worktree), warnings]).toEqual([true, [expect.stringContaining('cannot be removed now')]]);
    await sweep({ deps: host.deps, warn }, Date.now() + 2 * DAY);

    expect([existsSync(host.worktree), warnings]).toEqual([false, [expect.anything()]]);
  });

  it('removes the checkouts that no ask took for a day', async () => {
    const host = await openHost();
    const tree = join(host.deps.home.treesDir(host.run.record.repoKey), 'left');
    mkdirSync(tree, { recursive: true });
    const warn = (message: string): never => {
      throw new Error(message);
    };

    await sweep({ deps: host.deps, warn }, Date.now() + DAY / 2);
    expect(existsSync(tree)).toBe(true);
    await sweep({ deps: host.deps, warn }, Date.now() + 2 * DAY);

    expect(existsSync(tree)).toBe(false);
  });
});

describe('a branch that somebody squashed into its base', () => {
  async function aSquashedRun({ isWhole = true } = {}) {
    const host = await aClosedRun();
    const head = await host.change({ 'b.txt': 'three\n' });
    const { root } = host.run.record.repository;
    const person = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
    git(root, 'merge', '--quiet', '--squash', isWhole ? head : host.tip);
    git(root, ...person, 'commit', '--quiet', '-m', 'squashed');
    writeFileSync(join(root, 'other.txt'), 'later');
    git(root, 'add', 'other.txt');
    git(root, ...person, 'commit', '--quiet', '-m', 'later');
    return { ...host, head, root };
  }

  it('is merged, and cleaned without being given up', async () => {
    const host = await aSquashedRun();
    const { runId, repoKey } = host.run.record;
    const objects = git(host.root, 'count-objects');

    expect(await isMerged(host.root, host.head, 'main')).toBe(false);
    expect(await isSquashed(host.root, host.head, 'main')).toBe(true);
    expect(git(host.root, 'count-objects')).toBe(objects);
    const clean = createCleanRun(host.deps);
    expect(await host.act(() => clean({ hostId: 'host', run: { runId, repoKey }, giveUp: false }))).toMatchObject({
      kind: 'cleaned',
    });
  });

  it('is not, where the base has only some of it', async () => {
    const host = await aSquashedRun({ isWhole: false });
    const { runId, repoKey } = host.run.record;

    expect(await isSquashed(host.root, host.head, 'main')).toBe(false);
    const clean = createCleanRun(host.deps);
    expect(await host.act(() => clean({ hostId: 'host', run: { runId, repoKey }, giveUp: false }))).toMatchObject({
      kind: 'kept',
    });
  });
});

function fail(message: string): never {
  throw new Error(message);
}
