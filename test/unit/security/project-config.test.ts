/** What a repository puts in the place of its `.sluice/config.yaml`: it is refused soon, nothing waits for it, and nothing untrusted of it counts. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '../../../activities/git/refs/find-repository.js';
import { resolveRunPolicy } from '../../../activities/policy/resolve-run-policy.js';
import { textAt } from '../../../client/repository.js';
import { ensureHome } from '../../../config/home/home.js';
import { git, makeRepository, removeFolders, tempFolder } from '../git/repository-fixture.js';

const CONFIG = '.sluice/config.yaml';
const HARMLESS = 'guardedPaths: [a.txt]\n';

afterEach(removeFolders);

async function resolveIn(root: string, home = tempFolder(), ofUser = '') {
  mkdirSync(join(home, '.config/sluice'), { recursive: true });
  writeFileSync(join(home, '.config/sluice/config.yaml'), `agents: {robot: {command: cat}}\n${ofUser}`);
  const deps = { home: ensureHome(join(home, 'sluice')), environment: { HOME: home } };
  const repository = await findRepository(root);
  const baseSha = git(root, 'rev-parse', 'HEAD').trim();
  return resolveRunPolicy(deps, { run: { task: 'x', repo: root }, repository, baseSha });
}

/** `make` gets the path of the config in a checkout that has the folder. */
function checkoutWith(make: (path: string) => void, committed: Readonly<Record<string, string>> = {}): string {
  const root = makeRepository({ 'a.txt': 'a\n', ...committed });
  mkdirSync(join(root, '.sluice'), { recursive: true });
  rmSync(join(root, CONFIG), { force: true });
  make(join(root, CONFIG));
  return root;
}

const ODD = [
  ['a FIFO', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path])],
  ['a link to a device without end', (path: string) => symlinkSync('/dev/zero', path)],
  ['a folder', (path: string) => mkdirSync(path)],
  ['a link to itself', (path: string) => symlinkSync('config.yaml', path)],
  [
    'a file of 10 GB',
    (path: string) => {
      writeFileSync(path, '');
      truncateSync(path, 10 * 1024 ** 3);
    },
  ],
] as const;

describe('in the checkout', () => {
  it.each(ODD)('%s is refused where it would count', async (_, make) => {
    await expect(resolveIn(checkoutWith(make))).rejects.toMatchObject({ type: 'BadConfig', nonRetryable: true });
  });

  it.each(ODD)('%s is no matter where the base commit has a config', async (_, make) => {
    const { policy } = await resolveIn(checkoutWith(make, { [CONFIG]: HARMLESS }));

    expect(policy.guardedPaths).toContain('a.txt');
  });
});

describe('at the base commit', () => {
  it('a link is read as the text it is, not followed', async () => {
    const elsewhere = join(tempFolder(), 'config.yaml');
    writeFileSync(elsewhere, HARMLESS);
    const root = checkoutWith((path) => symlinkSync(elsewhere, path));
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '-m', 'link');

    await expect(resolveIn(root)).rejects.toMatchObject({
      type: 'BadConfig',
      message: expect.stringContaining('must be a mapping'),
    });
  });

  it('10 MB are refused by their size', async () => {
    const root = makeRepository({ [CONFIG]: `# ${'x'.repeat(10_000_000)}\n` });

    await expect(resolveIn(root)).rejects.toMatchObject({
      type: 'BadConfig',
      message: expect.stringContaining('must be at most 262144 bytes'),
    });
  });

  it('one whose object is gone is refused, and never taken for none', async () => {
    const root = makeRepository({ [CONFIG]: HARMLESS });
    const blob = git(root, 'rev-parse', `HEAD:${CONFIG}`).trim();
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));

    await expect(resolveIn(root)).rejects.toMatchObject({
      type: 'BadConfig',
      nonRetryable: true,
      message: expect.stringContaining('Nothing was started'),
    });
    expect(await textAt(root, 'HEAD', CONFIG)).toBeNull();
  });

  it('a folder of that name is refused, and a file in the place of its folder holds no config', async () => {
    const [folder, file] = [{ [`${CONFIG}/x`]: 'y' }, { '.sluice': 'y' }].map((files) => makeRepository(files));
    for (const root of [folder, file]) rmSync(join(root ?? '', '.sluice'), { recursive: true });

    await expect(resolveIn(folder ?? '')).rejects.toMatchObject({ type: 'BadConfig' });
    expect((await resolveIn(file ?? '')).trustedConfig).toBeNull();
  });
});

describe('programs in a config that nobody trusted', () => {
  it.each([
    ['an agent', 'agents: {robot: {command: evil}}'],
    ['an argument of one', 'agents: {robot: {args: [--evil]}}'],
    ['the environment of one', 'agents: {robot: {env: {NODE_OPTIONS: --require=/evil.js}}}'],
    ['a set-up', 'worktree: {setup: [evil]}'],
    ['a copy out of the checkout', 'worktree: {copy: [.env]}'],
    ['a link into the checkout', 'worktree: {link: [.git]}'],
    ['a validation', 'validation: {commands: [evil]}'],
    ['a program of a notification', 'notify: [{command: evil}]'],
    ['a web hook', 'notify: [{webhook: "https://example.invalid/x"}]'],
    ['one by way of an alias', 'worktree: {setup: &x [evil]}\nvalidation: {commands: *x}'],
    ['one in the seed’s spelling', 'preset: vibestrate\nvalidation: {commands: [evil], timeoutSeconds: 9}'],
  ])('are refused: %s', async (_, text) => {
    const root = makeRepository({ [CONFIG]: `${text}\n` });

    const error = await resolveIn(root).catch((caught: unknown) => caught);

    // `.git` is refused by its own rule, whoever trusts it.
    expect(error).toMatchObject({ type: text.includes('[.git]') ? 'BadConfig' : 'NotTrusted', nonRetryable: true });
  });
});

describe('what was resolved before', () => {
  it('counts only where all that it came from is the same', async () => {
    const [home, root] = [tempFolder(), makeRepository({ [CONFIG]: HARMLESS })];
    const limitOf = async (ofUser: string) => (await resolveIn(root, home, ofUser)).policy.budget.turns;
    const first = await limitOf('budget: {run: {turns: 7}}\n');

    expect([first, await limitOf('budget: {run: {turns: 5}}\n'), await limitOf('budget: {run: {turns: 7}}\n')]).toEqual(
      [7, 5, 7],
    );
  });
});
