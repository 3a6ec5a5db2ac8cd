import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { diffBytes, diffStat, diffText, gitWasEnded, lookAtRepository, textAt } from '../../../client/repository.js';
import { endingWith } from '../../../config/system/ending-signal.js';
import { tempFolders } from '../../support/temp-folder.js';
import { until } from '../../support/until.js';

const freshFolder = tempFolders();
let folder: string;
let repo: string;
let base: string;
let head: string;
/** Written by each program that must not run. */
let marker: string;
const path = process.env['PATH'] ?? '';

const git = (...args: string[]) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    encoding: 'utf8',
  }).trim();

function evil(file: string): string {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho ran >> '${marker}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const ranWhat = () => (existsSync(marker) ? readFileSync(marker, 'utf8') : '');

beforeEach(() => {
  folder = freshFolder();
  repo = join(folder, 'shop');
  marker = join(folder, 'marker');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', '--template=', repo]);
  writeFileSync(join(repo, 'a.txt'), 'one\n');
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'base');
  base = git('rev-parse', 'HEAD');
  writeFileSync(join(repo, 'a.txt'), 'two\n');
  git('commit', '--quiet', '-a', '-m', 'head');
  head = git('rev-parse', 'HEAD');
});

afterEach(() => {
  process.env['PATH'] = path;
});

describe('a change for a pipe', () => {
  it('is taken by git apply with what is binary, and text of any encoding', async () => {
    const files: readonly (readonly [string, Buffer])[] = [
      ['bin', Buffer.from([0, 255, 1, 10, 13, 254])],
      ['latin1.txt', Buffer.from('caf\u00e9\n', 'latin1')],
      ['utf8.txt', Buffer.from('caf\u00e9 \u2028\r\n')],
    ];
    for (const [name, content] of files) writeFileSync(join(repo, name), content);
    git('add', '-A');
    git('commit', '--quiet', '-m', 'odd files');
    const patch = await diffBytes(repo, base, git('rev-parse', 'HEAD'));
    // Elsewhere, where no object of it is known.
    const other = freshFolder();
    writeFileSync(join(other, 'a.txt'), 'one\n');

    execFileSync('git', ['-C', other, 'apply', '-'], { input: patch ?? '' });

    for (const [name, content] of files) expect(readFileSync(join(other, name))).toEqual(content);
    expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('two\n');
  });
});

describe('looking at a repository whose config an agent wrote', () => {
  it('starts no upload program of a promisor remote for a blob that is gone', async () => {
    const program = evil(join(folder, 'evil.sh'));
    const blob = git('rev-parse', `${head}:a.txt`);
    for (const [key = '', value = ''] of [
      ['core.repositoryformatversion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', repo],
      ['remote.origin.uploadpack', program],
    ])
      git('config', key, value);
    rmSync(join(repo, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));

    const answers = [
      await diffStat(repo, base, head),
      await diffText(repo, base, head),
      await textAt(repo, head, 'a.txt'),
    ];

    expect(ranWhat()).toBe('');
    expect(answers).toEqual([null, null, null]);
  });

  it('starts no diff program, text converter or file system monitor, and shows the patch as git apply takes it', async () => {
    const program = evil(join(folder, 'evil.sh'));
    mkdirSync(join(repo, '.git', 'info'), { recursive: true });
    writeFileSync(join(repo, '.git', 'info', 'attributes'), '* diff=evil filter=evil\n');
    for (const key of [
      'diff.external',
      'diff.evil.command',
      'diff.evil.textconv',
      'filter.evil.clean',
      'core.fsmonitor',
      'core.pager',
    ])
      git('config', key, program);
    git('config', 'diff.noprefix', 'true');
    git('config', 'color.ui', 'always');

    const look = await lookAtRepository(repo);
    const patch = (await diffText(repo, base, head)) ?? '';
    await diffStat(repo, base, head);

    expect(ranWhat()).toBe('');
    expect(look).toEqual({ kind: 'ok', root: repo, main: repo, head, branch: 'main' });
    expect(patch).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n');
  });

  it.each([
    ['a relative entry', () => '.'],
    ['node_modules/.bin', () => join(repo, 'node_modules', '.bin')],
  ])('takes no git from %s of PATH', async (_, entry) => {
    evil(join(repo, 'node_modules', '.bin', 'git'));
    evil(join(repo, 'git'));
    process.env['PATH'] = [entry(), path].join(delimiter);
    const before = process.cwd();
    process.chdir(repo);

    const look = await lookAtRepository(repo).finally(() => process.chdir(before));

    expect(ranWhat()).toBe('');
    expect(look.kind).toBe('ok');
  });

  it('reads the repository that it was asked about, whatever GIT_DIR says', async () => {
    process.env['GIT_DIR'] = join(folder, 'elsewhere');

    const stat = await diffStat(repo, base, head).finally(() => delete process.env['GIT_DIR']);

    expect(stat).toEqual({ files: 1, insertions: 1, deletions: 1 });
  });
});

/** A commit of a kilobyte that stands for 10^10 files. */
function treeBomb(): string {
  const tree = (entry: string) =>
    execFileSync('git', ['-C', repo, 'mktree'], {
      input: Array.from({ length: 10 }, (_, n) => `${entry}\t${n}\n`).join(''),
      encoding: 'utf8',
    }).trim();
  let top = tree(`100644 blob ${git('rev-parse', `${head}:a.txt`)}`);
  for (let level = 1; level < 10; level += 1) top = tree(`040000 tree ${top}`);
  return git('commit-tree', '-m', 'bomb', '-p', base, top);
}

describe('a change of 10^10 files', () => {
  it('is not compared, and its error says why in four parts', async () => {
    const bomb = treeBomb();
    const parts = {
      what: expect.stringContaining(bomb),
      why: expect.any(String),
      now: expect.any(String),
      mend: expect.any(String),
    };

    await expect(diffStat(repo, base, bomb)).rejects.toMatchObject({ name: 'RefusedError', parts });
    await expect(diffText(repo, bomb, head)).rejects.toMatchObject({ name: 'RefusedError', parts });
  });
});

describe('a slow git', () => {
  it('is told with what helps there, and nothing of large commits', () => {
    const { parts } = gitWasEnded('time', { command: 'rev-parse', root: repo });

    expect(parts).toMatchObject({
      what: expect.stringContaining('3 minutes'),
      mend: expect.stringMatching(/^find \. -type p {4}/),
    });
    expect(Object.values(parts).join()).not.toContain('10^10');
  });

  it('is ended when the person stops the command', async () => {
    const told = join(folder, 'pid');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(
      join(folder, 'bin', 'git'),
      `#!/bin/sh\necho $$ > ${told}.new\nmv ${told}.new ${told}\nexec sleep 600\n`,
    );
    chmodSync(join(folder, 'bin', 'git'), 0o755);
    process.env['PATH'] = [join(folder, 'bin'), path].join(delimiter);
    const stop = new AbortController();
    const looking = endingWith(stop.signal, () => lookAtRepository(repo));
    await until(() => existsSync(told));
    const pid = Number(readFileSync(told, 'utf8'));

    stop.abort('SIGINT');

    await looking.catch(() => undefined);
    await until(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('looking at a repository', () => {
  it('finds it from a folder below, and from a linked worktree', async () => {
    mkdirSync(join(repo, 'below'));
    git('worktree', 'add', '--quiet', join(folder, 'linked'), base);

    const found = { kind: 'ok', root: repo, main: repo, head, branch: 'main' };
    expect(await lookAtRepository(join(repo, 'below'))).toEqual(found);
    expect(await lookAtRepository(join(folder, 'linked'))).toEqual({
      kind: 'ok',
      root: join(folder, 'linked'),
      main: repo,
      head: base,
      branch: null,
    });
    expect(await textAt(join(folder, 'linked'), head, 'a.txt')).toBe('two\n');
  });

  it('tells what is no repository', async () => {
    execFileSync('git', ['init', '--quiet', '--bare', join(folder, 'bare')]);
    execFileSync('git', ['init', '--quiet', join(folder, 'empty')]);

    expect((await lookAtRepository(folder)).kind).toBe('not_git');
    expect((await lookAtRepository(join(folder, 'bare'))).kind).toBe('bare');
    expect((await lookAtRepository(join(folder, 'empty'))).kind).toBe('no_commits');
    expect((await lookAtRepository(join(folder, 'gone'))).kind).toBe('missing');
  });
});
