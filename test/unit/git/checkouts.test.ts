import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openValidationCheckout } from '../../../activities/git/run/validation-checkout.js';
import { copyAndLink } from '../../../activities/git/run/worktree-setup-files.js';
import {
  canaryProgram,
  git,
  makeRepository,
  type OpenedRun,
  openRun,
  removeFolders,
  reopen,
  tempFolder,
  write,
} from './repository-fixture.js';

afterEach(removeFolders);

const setUp = (run: OpenedRun, copy: string[], link: string[] = []) =>
  copyAndLink({ repository: run.repository, target: run.worktree, copy, link, gitDir: run.gitDir });

const commit = { claimedAt: '2026-11-21T10:00:00Z', subject: 's', body: '' };

describe('files of the checkout that git does not have', () => {
  it('are left out where the commit has a file in the place of their folder, and the others are copied', async () => {
    const run = await openRun({ config: 'a file\n' });
    rmSync(join(run.root, 'config'));
    write(run.root, 'config/local.yml', 'a: 1\n');
    write(run.root, '.env', 'SECRET=1\n');

    const result = await setUp(run, ['config/*.yml', '.env']);

    expect(result).toMatchObject({ copied: ['.env'], skipped: [{ path: 'config/local.yml' }] });
    expect(result.skipped[0]?.why).toMatch(/EEXIST|ENOTDIR/);
  });

  it('are copied and linked, and neither committed nor cleaned away', async () => {
    const run = await openRun({ 'a.txt': 'a\n', '.gitignore': 'node_modules/\n' });
    write(run.root, '.env', 'SECRET=1\n');
    write(run.root, 'conf/local [1].json', '{}');
    write(run.root, 'node_modules/x/index.js', 'x');

    const result = await setUp(run, ['.env', 'conf/*.json', 'missing'], ['node_modules']);

    expect(result).toEqual({
      copied: ['.env', 'conf/local [1].json'],
      linked: ['node_modules'],
      skipped: [{ path: 'missing', why: 'it is not in your checkout' }],
    });
    expect(readlinkSync(join(run.worktree, 'node_modules'))).toBe(join(run.root, 'node_modules'));
    const opened = await reopen(run);
    expect(await opened.changes()).toEqual([]);
    await opened.restore(run.base);
    expect(readFileSync(join(run.worktree, '.env'), 'utf8')).toBe('SECRET=1\n');
    expect(existsSync(join(run.worktree, 'node_modules/x/index.js'))).toBe(true);
  });

  it('stay out of it after a power cut that left the mark of the git dir empty, which is made anew where it stood', async () => {
    const run = await openRun({ 'a.txt': 'a\n' });
    write(run.root, '.env', 'SECRET=1\n');
    await setUp(run, ['.env']);
    const before = await reopen(run);
    await before.restore(run.base);
    const made = readFileSync(join(run.gitDir, 'sluice.json'), 'utf8');
    writeFileSync(join(run.gitDir, 'sluice.json'), '');
    write(run.worktree, 'work.txt', 'x\n');

    const opened = await reopen(run);
    expect((await opened.changes()).map(({ path }) => path)).toEqual(['work.txt']);
    expect(readFileSync(join(run.gitDir, 'sluice.json'), 'utf8')).toBe(made);
    expect(readFileSync(join(run.gitDir, 'HEAD'), 'utf8')).toBe(`${run.base}\n`);
    expect(readFileSync(join(run.gitDir, 'info', 'exclude'), 'utf8').split('\n')).toContain('/.env');
  });

  it('stay out of the commit even if a .gitignore lets them in and the agent stages them', async () => {
    const run = await openRun({ '.gitignore': '!.env\n!node_modules\n' });
    write(run.root, '.env', 'SECRET=1\n');
    write(run.root, 'node_modules/x.js', 'x');
    await setUp(run, ['.env'], ['node_modules']);
    write(run.worktree, 'work.txt', 'x\n');
    write(run.worktree, '.env', 'SECRET=2\n');
    git(run.worktree, 'add', '--force', '--all');
    git(run.worktree, 'commit', '--quiet', '-m', 'all of it');

    const opened = await reopen(run);
    const planned = await opened.plan({ expectedHead: run.base, ...commit });
    await opened.restore(run.base);

    expect(
      git(run.root, 'ls-tree', '-r', '--name-only', planned?.commit ?? '')
        .trim()
        .split('\n'),
    ).toEqual(['.gitignore', 'work.txt']);
    expect(existsSync(join(run.worktree, '.env'))).toBe(true);
  });

  it('leave alone what the commit tracks', async () => {
    const run = await openRun({ '.env.example': 'committed\n', 'dir/file': 'committed\n' });
    write(run.root, '.env.example', 'mine\n');
    write(run.root, '.env', 'SECRET=1\n');

    expect(await setUp(run, ['.env*'], ['dir'])).toEqual({
      copied: ['.env'],
      linked: [],
      skipped: [{ path: 'dir', why: 'the commit holds files there' }],
    });
    expect(readFileSync(join(run.worktree, '.env.example'), 'utf8')).toBe('committed\n');
  });

  it('keep links, which lead to the same place of the worktree, never to the checkout or past it', async () => {
    const run = await openRun({ 'packages/x/index.js': 'x\n' });
    const modules = join(run.root, 'node_modules');
    mkdirSync(modules);
    for (const [name, target] of [
      ['absolute', join(run.root, 'packages/x')],
      ['past-the-root', `../../${basename(run.root)}/packages/x`],
      ['plain', '../packages/x'],
    ] as const)
      symlinkSync(target, join(modules, name));

    const { copied } = await setUp(run, ['node_modules']);

    expect(copied).toHaveLength(3);
    expect(copied.map((path) => realpathSync(join(run.worktree, path)))).toEqual(
      copied.map(() => join(run.worktree, 'packages/x')),
    );
  });

  it('cannot come from or go outside', async () => {
    const outside = tempFolder();
    write(outside, 'secret', 'x');
    const root = makeRepository();
    symlinkSync(outside, join(root, 'door'));
    git(root, 'add', 'door');
    git(root, 'commit', '--quiet', '-m', 'door');
    const run = await openRun(undefined, root);
    symlinkSync(join(outside, 'secret'), join(root, 'leak'));
    rmSync(join(root, 'door'));
    write(root, 'door/inside.txt', 'x');

    const { copied, linked, skipped } = await setUp(
      run,
      ['../x', '/etc/passwd', 'leak', 'door/inside.txt', '.git/config'],
      ['..', 'leak'],
    );

    expect([copied, linked]).toEqual([[], []]);
    expect(skipped).toHaveLength(7);
    expect(existsSync(join(outside, 'inside.txt'))).toBe(false);
  });
});

describe('the validation checkout', () => {
  async function aCheckout(run: OpenedRun) {
    return openValidationCheckout({
      repository: run.repository,
      path: join(run.home, 'worktrees', 'project-1+validation'),
      gitDir: join(run.home, 'state', 'validation.git'),
      owner: 'chain-1',
      snapshotOf: run.gitDir,
    });
  }

  async function aCommit(run: OpenedRun, path: string, text: string): Promise<string> {
    write(run.worktree, path, text);
    const planned = await run.run.plan({ expectedHead: (await run.run.head()) ?? '', ...commit });
    if (planned === null) throw new Error('nothing planned');
    await run.run.publish(planned);
    return planned.commit;
  }

  it('moves from commit to commit and keeps what it is told of what is ignored', async () => {
    const run = await openRun({ 'a.txt': 'a\n', '.gitignore': 'node_modules\n' });
    const next = await aCommit(run, 'b.txt', 'b\n');
    const checkout = await aCheckout(run);

    await checkout.moveTo(next);
    write(checkout.path, 'node_modules/x.js', 'x');
    write(checkout.path, 'left-over.txt', 'x');
    write(checkout.path, 'a.txt', 'changed\n');
    expect(await checkout.changedTracked()).toEqual(['a.txt']);
    await checkout.moveTo(run.base, await checkout.listIgnored());

    expect(
      ['a.txt', 'b.txt', 'left-over.txt', 'node_modules/x.js'].map((path) => existsSync(join(checkout.path, path))),
    ).toEqual([true, false, false, true]);
    expect(await checkout.changedTracked()).toEqual([]);
    expect(await checkout.tree(run.base)).toBe(git(run.root, 'rev-parse', `${run.base}^{tree}`).trim());
    expect(git(run.root, 'worktree', 'list').trim().split('\n')).toHaveLength(2);
  });

  it('answers git for build scripts, and never reads what commands did to that', async () => {
    const run = await openRun({ '.gitattributes': '* filter=evil\n', 'a.txt': 'a\n' });
    const checkout = await aCheckout(run);
    await checkout.moveTo(run.base);
    expect(git(checkout.path, 'rev-parse', 'HEAD').trim()).toBe(run.base);
    expect(git(checkout.path, 'status', '--porcelain')).toBe('');

    const { program, canary } = canaryProgram(tempFolder());
    for (const key of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge'])
      git(checkout.path, 'config', key, program);
    write(checkout.path, 'a.txt', 'b\n');
    await checkout.changedTracked();
    await checkout.moveTo(run.base);

    expect(existsSync(canary)).toBe(false);
    expect(git(checkout.path, 'config', '--list')).not.toContain('evil');
  });

  it('tells whether set-up inputs changed', async () => {
    const run = await openRun({ 'package-lock.json': '1\n' });
    const code = await aCommit(run, 'code.js', 'x\n');
    const lock = await aCommit(run, 'package-lock.json', '2\n');
    const checkout = await aCheckout(run);

    const globs = ['**/package-lock.json'];
    expect(await checkout.setupInputsChanged(globs, run.base, code)).toBe(false);
    expect(await checkout.setupInputsChanged(globs, code, lock)).toBe(true);
    expect(await checkout.setupInputsChanged(globs, null, lock)).toBe(true);
    expect(await checkout.setupInputsChanged(globs, 'd'.repeat(40), lock)).toBe(true);
  });
});

describe('the config snapshot', () => {
  it('takes line endings from the repository as they were when the run opened', async () => {
    const root = makeRepository({ 'a.txt': 'a\n' });
    git(root, 'config', 'core.autocrlf', 'true');
    const run = await openRun(undefined, root);
    expect(readFileSync(join(run.worktree, 'a.txt'), 'utf8')).toBe('a\r\n');
    git(root, 'config', 'core.autocrlf', 'false');
    writeFileSync(join(run.worktree, 'b.txt'), 'b\r\n');

    const planned = await (await reopen(run)).plan({ expectedHead: run.base, ...commit });

    expect(git(root, 'cat-file', 'blob', `${planned?.commit ?? ''}:b.txt`)).toBe('b\n');
  });

  it("takes filters from the person's global config only, and commits in their name", async () => {
    const root = makeRepository({ '.gitattributes': '*.up filter=upper\n*.low filter=lower\n' });
    const home = tempFolder();
    execFileSync('git', ['config', '--file', join(home, '.gitconfig'), 'filter.upper.clean', 'tr a-z A-Z']);
    execFileSync('git', ['config', '--file', join(home, '.gitconfig'), 'user.name', 'Grace "Amazing" Hopper']);
    git(root, 'config', 'filter.lower.clean', 'tr A-Z a-z');
    const saved = process.env['HOME'];
    process.env['HOME'] = home;
    const run = await openRun(undefined, root);
    process.env['HOME'] = saved;
    write(run.worktree, 'x.up', 'Abc\n');
    write(run.worktree, 'x.low', 'Abc\n');

    const planned = await run.run.plan({ expectedHead: run.base, ...commit });

    expect(git(root, 'cat-file', 'blob', `${planned?.commit ?? ''}:x.up`)).toBe('ABC\n');
    expect(git(root, 'cat-file', 'blob', `${planned?.commit ?? ''}:x.low`)).toBe('Abc\n');
    expect(git(root, 'show', '--no-patch', '--format=%an', planned?.commit ?? '').trim()).toBe(
      'Grace "Amazing" Hopper',
    );
    expect(lstatSync(run.gitDir).isDirectory()).toBe(true);
  });
});
