/** What goes of a validation checkout before the next tree, by real git: what is ignored too, whatever lies there, and nothing outside. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  findPatterns,
  openValidationCheckout,
  type ValidationCheckout,
} from '../../../activities/git/run/validation-checkout.js';
import { expectLinearCost } from '../../support/linear-cost.js';
import { runAsOrdinaryUser } from './ordinary-user.js';
import { type OpenedRun, openRun, removeFolders, tempFolder, write } from './repository-fixture.js';

afterEach(removeFolders);

const IGNORING = { 'src/a.txt': 'a\n', '.gitignore': 'build/\n*.log\nnode_modules/\ntarget/\nodd*\n' };

interface Opened {
  readonly run: OpenedRun;
  readonly checkout: ValidationCheckout;
  has(...paths: readonly string[]): readonly boolean[];
  put(...paths: readonly string[]): void;
}

async function opened(): Promise<Opened> {
  const run = await openRun(IGNORING);
  const checkout = await openValidationCheckout({
    repository: run.repository,
    path: join(run.home, 'worktrees', 'project-1+validation'),
    gitDir: join(run.home, 'state', 'validation.git'),
    owner: 'chain-1',
    snapshotOf: run.gitDir,
  });
  await checkout.moveTo(run.base);
  return {
    run,
    checkout,
    has: (...paths) => paths.map((path) => existsSync(join(checkout.path, path))),
    put: (...paths) => {
      for (const path of paths) write(checkout.path, path, 'x');
    },
  };
}

/** From inside, by relative steps. */
function makeTooDeep(folder: string): void {
  mkdirSync(folder);
  const back = process.cwd();
  process.chdir(folder);
  try {
    for (let depth = 0; depth < 120; depth += 1) {
      mkdirSync('a'.repeat(40));
      process.chdir('a'.repeat(40));
    }
  } finally {
    process.chdir(back);
  }
}

describe('a file that the next commit does not have', () => {
  it.each(['alone', 'beside a file that differs'])('goes from a folder that a check made read-only: %s', (how) => {
    const left = runAsOrdinaryUser(`
        import { chmodSync, readdirSync, rmSync } from 'node:fs';
        import { join } from 'node:path';
        const { openValidationCheckout } = await product('git/run/validation-checkout.ts');
        const run = await fixture.openRun({ 'src/old.txt': 'old', 'src/a.txt': 'a' });
        rmSync(join(run.root, 'src/old.txt'));
        fixture.write(run.root, ${how === 'alone' ? "'b.txt'" : "'src/a.txt'"}, 'b');
        fixture.git(run.root, 'add', '--all');
        fixture.git(run.root, 'commit', '--quiet', '-m', 'second');
        const { repository, home } = run;
        const at = { path: join(home, 'worktrees', 'v'), gitDir: join(home, 'state', 'v.git') };
        const checkout = await openValidationCheckout({ repository, ...at, owner: 'chain-1', snapshotOf: run.gitDir });
        await checkout.moveTo(run.base);
        chmodSync(join(checkout.path, 'src'), 0o555);
        await checkout.moveTo(fixture.git(run.root, 'rev-parse', 'HEAD').trim());
        console.log(JSON.stringify(readdirSync(join(checkout.path, 'src'))));
        fixture.removeFolders();
      `);

    expect(left).toEqual(['a.txt']);
  });
});

describe('what is ignored in a validation checkout', () => {
  it('goes before the next tree, but for what the set-up left', async () => {
    const { run, checkout, has, put } = await opened();
    put('node_modules/p/index.js', 'build/made/dep.o', 'src/set-up.log');
    const kept = await checkout.listIgnored();

    put('node_modules/p/more.js', 'build/made/dep.o', 'src/check.log', 'target/x');
    await checkout.moveTo(run.base, kept);

    expect(kept).toEqual(['/build/', '/node_modules/', '/src/set-up.log']);
    expect(has('node_modules/p/more.js', 'build/made/dep.o', 'src/set-up.log')).toEqual([true, true, true]);
    expect(has('src/check.log', 'target')).toEqual([false, false]);
  });

  it('goes from a folder in which something is kept, and the folder stays', async () => {
    const { run, checkout, has, put } = await opened();
    put('build/cache/one', 'build/other', 'deep/er/target/x', 'target/y');

    await checkout.moveTo(run.base, ['build/cache', 'target/']);

    expect(has('build/cache/one', 'build/other', 'deep/er/target/x', 'target/y')).toEqual([true, false, true, true]);
  });

  it('goes whatever it is called, and the repositories in it', async () => {
    const { run, checkout, put } = await opened();
    const names = ['odd new\nline', 'odd "quote\'', 'odd\\back', 'odd *[a]?', 'odd trailing  ', 'odd\u00fc'];
    put(...names, ...names.map((name) => `build/${name}/-rf`), 'build/-e', 'target/theirs/.git/HEAD');
    writeFileSync(Buffer.concat([Buffer.from(`${checkout.path}/odd`), Buffer.from([0xff, 0xfe])]), 'x');

    await checkout.moveTo(run.base);

    expect(readdirSync(checkout.path).sort()).toEqual(['.git', '.gitignore', 'src']);
  });

  it('stays under each of these names where the set-up left it', async () => {
    const { run, checkout, put } = await opened();
    const names = [
      'odd new\nline',
      'odd "quote\'',
      'odd\\back',
      'odd *[a]?',
      'odd trailing  ',
      'odd\u00fc',
      'odd!',
      'odd#',
    ];
    put(...names, 'odd plain a');
    writeFileSync(Buffer.concat([Buffer.from(`${checkout.path}/odd`), Buffer.from([0xff, 0xfe])]), 'x');
    const before = readdirSync(checkout.path, { encoding: 'buffer' }).map(String).sort();

    await checkout.moveTo(run.base, await checkout.listIgnored());

    expect(readdirSync(checkout.path, { encoding: 'buffer' }).map(String).sort()).toEqual(before);
  });

  it('goes with its links, never with what they lead to', async () => {
    const { run, checkout, has, put } = await opened();
    const outside = tempFolder();
    write(outside, 'dear/to/me.txt', 'mine');
    put('build/x');
    symlinkSync(join(outside, 'dear'), join(checkout.path, 'build', 'link'));
    symlinkSync(join(outside, 'dear'), join(checkout.path, 'target'));
    // A tracked folder became a link, below which names look ignored.
    renameSync(join(checkout.path, 'src'), join(outside, 'src'));
    write(outside, 'src/their.log', 'theirs');
    symlinkSync(join(outside, 'src'), join(checkout.path, 'src'));

    await checkout.moveTo(run.base);

    expect(has('build', 'target', 'src/a.txt')).toEqual([false, false, true]);
    expect(readFileSync(join(outside, 'dear/to/me.txt'), 'utf8')).toBe('mine');
    expect(readFileSync(join(outside, 'src/their.log'), 'utf8')).toBe('theirs');
  });

  it('goes where nobody may write', async () => {
    const { run, checkout, has, put } = await opened();
    put('build/go/pkg/mod/x');
    for (const folder of ['build/go/pkg/mod', 'build/go/pkg', 'build/go'])
      chmodSync(join(checkout.path, folder), 0o555);

    await checkout.moveTo(run.base);

    expect(has('build')).toEqual([false]);
  });

  it('is moved aside where its path is longer than the system takes', async () => {
    const { run, checkout, has, put } = await opened();
    put('node_modules/kept', 'target/x');
    makeTooDeep(join(checkout.path, 'build'));

    try {
      await checkout.moveTo(run.base, ['/node_modules/']);
      await checkout.moveTo(run.base, ['/node_modules/']);

      expect(has('build', 'target', 'node_modules/kept')).toEqual([false, false, true]);
      expect(readdirSync(dirname(checkout.path)).filter((name) => name.includes('+left'))).toHaveLength(1);
    } finally {
      // Node names paths from the root too.
      execFileSync('rm', ['-rf', dirname(checkout.path)]);
    }
  });

  it('is moved aside as well where the folder above such a path has a name that is no UTF-8', async () => {
    const { run, checkout } = await opened();
    makeTooDeep(join(checkout.path, 'build'));
    renameSync(join(checkout.path, 'build'), Buffer.concat([Buffer.from(`${checkout.path}/odd`), Buffer.from([0xff])]));

    try {
      await checkout.moveTo(run.base);

      expect(readdirSync(checkout.path)).toEqual(['.git', '.gitignore', 'src']);
      expect(readdirSync(dirname(checkout.path)).filter((name) => name.includes('+left'))).toHaveLength(1);
    } finally {
      execFileSync('rm', ['-rf', dirname(checkout.path)]);
    }
  });

  it.each([450, 5_000])(
    'is listed as folders where a set-up left %i files, more than git takes as arguments, and all of it stays',
    async (count) => {
      const { run, checkout, has, put } = await opened();
      const many = Array.from({ length: count }, (_, index) => `src/${index % 50}/${index}.log`);
      for (let index = 0; index < 50; index += 1) write(checkout.path, `src/${index}/tracked.txt`, 'not ignored');
      put(...many);

      const kept = await checkout.listIgnored();
      await checkout.moveTo(run.base, kept);

      expect(kept.length).toBeLessThanOrEqual(300);
      expect(has(...many)).not.toContain(false);
    },
  );

  it('is listed as finely as git takes it', () => {
    const files = Array.from({ length: 1_000 }, (_, n) => `a/b/${n % 100}/c/${n}`);

    expect(findPatterns([...files, `z/${'d/'.repeat(500)}e`])).toEqual([
      ...Array.from({ length: 100 }, (_, n) => `/a/b/${n}/c/`),
      '/z/d/d/d/',
    ]);
  });

  it('is listed at a cost that follows the number of files, however deep one of them lies', () => {
    expectLinearCost(5_000, (length) => {
      const files = Array.from({ length }, (_, n) => `src/${n}.log`);
      expect(findPatterns([...files, `${'d/'.repeat(length / 5)}e`]).length).toBeLessThanOrEqual(300);
    });
  });
});
