import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fingerprintCheckout } from '../../../activities/git/inspect/checkout-fingerprint.js';
import { compareRepository, hashKeys, snapshotRepository } from '../../../activities/git/inspect/repository-watch.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import {
  canaryProgram,
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  tempFolder,
  write,
} from './repository-fixture.js';

afterEach(removeFolders);

const config = (run: OpenedRun) => join(run.root, '.git', 'config');

describe('watching a repository', () => {
  async function changeBy(act: (run: OpenedRun) => unknown) {
    const run = await openRun();
    const before = await snapshotRepository(run.repository, run.worktree);
    act(run);
    return compareRepository(
      JSON.parse(JSON.stringify(before)),
      await snapshotRepository(run.repository, run.worktree),
    );
  }

  it.each([
    ['core.fsmonitor', (run: OpenedRun) => git(run.worktree, 'config', 'core.fsmonitor', '/bin/evil')],
    ['alias.st', (run: OpenedRun) => git(run.worktree, 'config', 'alias.st', '!evil')],
    ['filter.x.clean', (run: OpenedRun) => git(run.worktree, 'config', 'filter.x.clean', 'evil')],
    [
      'url.https://evil/.insteadof',
      (run: OpenedRun) => git(run.worktree, 'config', 'url.https://evil/.insteadOf', 'https://github.com/'),
    ],
    ['include.path', (run: OpenedRun) => git(run.worktree, 'config', 'include.path', '/tmp/evil')],
    ['remote.origin.url', (run: OpenedRun) => git(run.worktree, 'config', 'remote.origin.url', 'https://evil/')],
    ['core.unreadable', (run: OpenedRun) => appendFileSync(config(run), '[broken')],
  ])('opens a gate when %s changes', async (key, act) => {
    const { gate } = await changeBy(act);

    expect(gate).toEqual(expect.arrayContaining([expect.stringContaining(`git config key ${key} changed`)]));
  });

  it('opens a gate when a hook appears or becomes runnable', async () => {
    const { gate } = await changeBy((run) =>
      writeFileSync(join(run.root, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\n'),
    );
    expect(gate).toEqual([expect.stringContaining('pre-commit')]);

    const run = await openRun();
    const hook = join(run.root, '.git', 'hooks', 'pre-push');
    writeFileSync(hook, '#!/bin/sh\n', { mode: 0o644 });
    const before = await snapshotRepository(run.repository, run.worktree);
    chmodSync(hook, 0o755);
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([
      expect.stringContaining('pre-push'),
    ]);
  });

  it('opens a gate when a hook comes with so many files that its folder is not listed', async () => {
    const fill = (folder: string, count: number) =>
      Array.from({ length: count }, (_, n) => writeFileSync(join(folder, `x${n}.sample`), ''));
    const { gate } = await changeBy(({ root }) => {
      writeFileSync(join(root, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
      fill(join(root, '.git', 'hooks'), 2_001);
    });
    expect(gate).toEqual([expect.stringMatching(/hooks changed/)]);

    const run = await openRun();
    fill(join(run.root, '.git', 'hooks'), 2_001);
    const before = await snapshotRepository(run.repository, run.worktree);
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([]);
    writeFileSync(join(run.root, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toHaveLength(1);
  });

  it.each(['modules/sub', 'modules/libs/sub', 'modules/sub/modules/inner', 'worktrees/project-1/modules/sub'])(
    'opens a gate when config or hooks of the submodule in %s change, or it appears',
    async (place) => {
      const inRepository = (run: OpenedRun, name: string) => join(run.root, '.git', name);
      const make = (run: OpenedRun) => {
        const parent = place.replace(/\/modules\/inner$/, '');
        for (const name of new Set([parent, place]))
          git(run.root, 'init', '--quiet', '--bare', inRepository(run, name));
      };
      const run = await openRun();
      make(run);
      const before = JSON.parse(JSON.stringify(await snapshotRepository(run.repository, run.worktree)));
      git(run.root, 'config', '--file', inRepository(run, `${place}/config`), 'branch.x.remote', 'origin');
      expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree))).toEqual({
        gate: [],
        note: [],
      });
      git(run.root, 'config', '--file', inRepository(run, `${place}/config`), 'core.fsmonitor', '/bin/evil');
      writeFileSync(inRepository(run, `${place}/hooks/post-checkout`), '#!/bin/sh\n');

      expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([
        expect.stringContaining('git config key core.fsmonitor'),
        expect.stringContaining('post-checkout'),
      ]);
      expect((await changeBy(make)).gate).toEqual(expect.arrayContaining([expect.stringContaining(`${place}/config`)]));
    },
  );

  it('sees a change of a hook that is larger than a script, and of what a link leads to', async () => {
    const run = await openRun();
    const hooks = join(run.root, '.git', 'hooks');
    const target = join(tempFolder(), 'target');
    writeFileSync(join(hooks, 'pre-push'), Buffer.alloc(2_000_000));
    writeFileSync(target, Buffer.alloc(2_000_000));
    symlinkSync(target, join(hooks, 'pre-commit'));
    const before = await snapshotRepository(run.repository, run.worktree);
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([]);

    appendFileSync(join(hooks, 'pre-push'), 'x');
    appendFileSync(target, 'x');

    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([
      expect.stringContaining('pre-commit'),
      expect.stringContaining('pre-push'),
    ]);
  });

  it('leaves the submodules of the worktrees of other runs to those runs', async () => {
    const run = await openRun();
    const runs = dirname(run.worktree);
    const initIn = (name: string) => {
      const admin = join(run.root, '.git/worktrees', name);
      mkdirSync(admin, { recursive: true });
      writeFileSync(join(admin, 'gitdir'), `${join(runs, name, '.git')}\n`);
      git(run.root, 'init', '--quiet', '--bare', join(admin, 'modules/sub'));
    };
    const before = await snapshotRepository(run.repository, run.worktree);

    initIn('another');
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([]);
    initIn(basename(run.worktree));
    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).not.toEqual([]);
  });

  it('opens a gate when there are more places of submodules than are looked at', async () => {
    const { gate } = await changeBy((run) => {
      for (let n = 0; n < 30; n += 1)
        for (let m = 0; m < 70; m += 1)
          mkdirSync(join(run.root, '.git', 'modules', `${n}`, `${m}`), { recursive: true });
    });

    expect(gate).toEqual([expect.stringMatching(/modules changed/)]);
  });

  it('sees a change of a file that the config includes', async () => {
    const run = await openRun();
    const included = join(tempFolder(), 'included');
    writeFileSync(included, '[alias]\n\tst = status\n');
    git(run.root, 'config', 'include.path', included);
    const before = await snapshotRepository(run.repository, run.worktree);
    writeFileSync(included, '[alias]\n\tst = !evil\n');

    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).gate).toEqual([
      expect.stringContaining('alias.st'),
    ]);
  });

  it('opens a gate when git is told to read objects of another place', async () => {
    const { gate } = await changeBy((run) => {
      mkdirSync(join(run.root, '.git', 'objects', 'info'), { recursive: true });
      writeFileSync(join(run.root, '.git', 'objects', 'info', 'alternates'), '/nowhere\n');
    });

    expect(gate).toEqual([expect.stringContaining('objects/info/alternates')]);
  });

  it('notes each ref that moved, loose or packed, but no branch of a run', async () => {
    const { gate, note } = await changeBy((run) => {
      git(run.root, 'tag', 'v1');
      git(run.root, 'branch', 'release');
      git(run.root, 'pack-refs', '--all');
      git(run.root, 'branch', 'loose');
      git(run.root, 'branch', 'sluice/another');
      git(run.root, 'update-ref', 'refs/sluice/another/head', 'HEAD');
    });

    expect(gate).toEqual([]);
    expect(note).toEqual(
      ['refs/heads/loose', 'refs/heads/release', 'refs/tags/v1'].map((name) => `${name} moved during the turn`),
    );
  });

  it('notes a ref that moved, however long its file is', async () => {
    const run = await openRun();
    const standAt = (commit: string) => {
      const file = join(run.root, '.git', 'refs', 'tags', 'long');
      writeFileSync(file, `${commit}\n`);
      truncateSync(file, 80 * 1024 * 1024);
      expect(git(run.root, 'rev-parse', 'long').trim()).toBe(commit);
    };
    standAt(run.base);
    const before = await snapshotRepository(run.repository, run.worktree);
    standAt(git(run.root, 'commit-tree', '-m', 'other', 'HEAD^{tree}').trim());

    expect(compareRepository(before, await snapshotRepository(run.repository, run.worktree)).note).toEqual([
      'refs/tags/long moved during the turn',
    ]);
  });

  it('reads no more of its refs than what git takes of each', async () => {
    const run = await openRun();
    const names = Array.from({ length: 20 }, (_, n) => `refs/tags/long-${n}`);
    for (const name of names) {
      writeFileSync(join(run.root, '.git', name), `${run.base}\n`);
      truncateSync(join(run.root, '.git', name), 60 * 1024 * 1024);
    }
    const before = process.memoryUsage.rss();
    const { refs } = await snapshotRepository(run.repository, run.worktree);

    expect(names.map((name) => refs[name]?.slice(0, run.base.length))).toEqual(names.map(() => run.base));
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('notes that a folder has more refs than are listed', async () => {
    const { note } = await changeBy((run) => {
      const folder = join(run.root, '.git', 'refs', 'tags');
      for (let n = 0; n <= 100_000; n += 1) writeFileSync(join(folder, `${n}`), '');
    });

    expect(note).toEqual(['refs/tags moved during the turn']);
  }, 300_000);

  it('only notes other keys, and says nothing when nothing changed', async () => {
    const noted = await changeBy((run) => git(run.worktree, 'config', 'branch.x.remote', 'origin'));
    expect(noted).toEqual({ gate: [], note: [expect.stringContaining('config changed')] });

    expect(await changeBy(() => undefined)).toEqual({ gate: [], note: [] });
  });

  it('costs in proportion to the values of one key', () => {
    expectLinearCost(40_000, (length) => {
      const lines = Array.from({ length }, (_, n) => ['core.fsmonitor', String(n)] as const);
      expect(hashKeys('config', lines).size).toBe(1);
    });
  });

  it('keeps no value in the snapshot', async () => {
    const run = await openRun();
    git(run.root, 'config', 'remote.origin.url', 'https://user:hunter2@example.org/');

    expect(JSON.stringify(await snapshotRepository(run.repository, run.worktree))).not.toContain('hunter2');
  });
});

describe("the fingerprint of the person's checkout", () => {
  it('stays while nothing changes, also when the person looks at it', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    write(run.root, 'a.txt', 'dirty\n');
    write(run.root, 'new.txt', 'x');
    const before = await fingerprintCheckout(run.repository, run.gitDir);
    git(run.root, 'status');

    expect(await fingerprintCheckout(run.repository, run.gitDir)).toBe(before);
  });

  it.each([
    ['a file is written', (run: OpenedRun) => write(run.root, 'a.txt', 'b\n')],
    ['a file appears', (run: OpenedRun) => write(run.root, 'new file.txt', 'b\n')],
    ['a file that is dirty already is written again', (run: OpenedRun) => write(run.root, 'dirty.txt', 'dirtier\n')],
    ['a file is removed', (run: OpenedRun) => rmSync(join(run.root, 'a.txt'))],
    ['something is staged', (run: OpenedRun) => git(run.root, 'add', 'dirty.txt')],
    ['something is committed', (run: OpenedRun) => git(run.root, 'commit', '--quiet', '--allow-empty', '-m', 'x')],
    ['another branch is checked out', (run: OpenedRun) => git(run.root, 'checkout', '--quiet', '-b', 'side')],
    ['something is stashed', (run: OpenedRun) => git(run.root, 'stash', '--quiet')],
  ])('differs when %s', async (_, act) => {
    const run = await openRun({ 'a.txt': 'a\n', 'dirty.txt': 'x\n' });
    write(run.root, 'dirty.txt', 'dirty\n');
    const before = await fingerprintCheckout(run.repository, run.gitDir);
    act(run);

    expect(await fingerprintCheckout(run.repository, run.gitDir)).not.toBe(before);
  });

  it('runs no program of the repository, and refuses a folder that is no private git dir', async () => {
    const root = makeRepository({ '.gitattributes': '* filter=evil\n', 'a.txt': 'a\n' });
    const { program, canary } = canaryProgram(tempFolder());
    for (const key of ['core.fsmonitor', 'filter.evil.clean']) git(root, 'config', key, program);
    const run = await openRun(undefined, root);
    write(root, 'a.txt', 'b\n');

    await fingerprintCheckout(run.repository, run.gitDir);

    expect(existsSync(canary)).toBe(false);
    await expect(fingerprintCheckout(run.repository, tempFolder())).rejects.toThrow('not the private git dir');
  });
});

describe("the person's own things", () => {
  it('are byte-equal after a whole turn', async () => {
    const root = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    write(root, 'a.txt', 'stashed\n');
    git(root, 'stash', '--quiet');
    write(root, 'a.txt', 'staged\n');
    git(root, 'add', 'a.txt');
    write(root, 'b.txt', 'dirty\n');
    write(root, 'untracked.txt', 'x');
    git(root, 'status');
    const look = () => [
      readFileSync(join(root, '.git', 'index')).toString('hex'),
      readFileSync(join(root, '.git', 'config'), 'utf8'),
      readFileSync(join(root, '.git', 'HEAD'), 'utf8'),
      git(root, 'status', '--porcelain=v2', '--branch', '--show-stash', '--ignored'),
      git(root, 'stash', 'list'),
      git(root, 'for-each-ref', 'refs/heads/main', 'refs/stash'),
      readFileSync(join(root, 'b.txt'), 'utf8'),
    ];
    const before = look();

    const run = await openRun(undefined, root);
    write(run.worktree, 'a.txt', 'agent\n');
    await fingerprintCheckout(run.repository, run.gitDir);
    const planned = await run.run.plan({
      expectedHead: run.base,
      claimedAt: '2026-11-21T10:00:00Z',
      subject: 's',
      body: '',
    });
    if (planned !== null) await run.run.publish(planned);
    await run.run.restore(planned?.commit ?? '');

    expect(look()).toEqual(before);
  });
});
