import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lookForUncommitted } from '../../../client/cli/start/tell-uncommitted.js';
import { uncommittedFiles } from '../../../client/uncommitted-files.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();
let repo: string;
let head: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    encoding: 'utf8',
  }).trim();

const write = (name: string, text = 'x\n') => {
  mkdirSync(join(repo, name, '..'), { recursive: true });
  writeFileSync(join(repo, name), text);
};

const commitAll = () => {
  git('add', '--all');
  git('commit', '--quiet', '-m', 'change');
  head = git('rev-parse', 'HEAD');
};

beforeEach(() => {
  repo = join(freshFolder(), 'shop');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', repo]);
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'dir/d.txt']) write(name);
  write('.gitignore', 'build\n');
  commitAll();
});

const temporary = process.env['TMPDIR'];

afterEach(() => {
  if (temporary === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = temporary;
});

describe('files that no commit has', () => {
  it('are those that are changed, staged, gone or new, and none that is ignored or the engine’s', async () => {
    write('a.txt', 'changed\n');
    write('b.txt', 'staged\n');
    git('add', 'b.txt');
    rmSync(join(repo, 'c.txt'));
    write('new folder/ü.txt');
    write('build/out.js');
    write('.sluice/config.yaml');
    write('kept-out');
    writeFileSync(join(repo, '.git/info/exclude'), 'kept-out\n');
    const index = readFileSync(join(repo, '.git/index'));
    process.env['TMPDIR'] = freshFolder();

    expect(await uncommittedFiles(repo, head)).toEqual(['a.txt', 'b.txt', 'c.txt', 'new folder/']);
    expect(readFileSync(join(repo, '.git/index')).equals(index)).toBe(true);
    expect(readdirSync(process.env['TMPDIR'])).toEqual([]);
  });

  it('are none where all is committed, whatever the times of files say', async () => {
    utimesSync(join(repo, 'a.txt'), new Date(), new Date());

    expect(await uncommittedFiles(repo, head)).toEqual([]);
  });

  it('are told of a linked worktree as of any checkout', async () => {
    const linked = join(freshFolder(), 'linked');
    git('worktree', 'add', '--quiet', linked, '-b', 'other');
    writeFileSync(join(linked, 'a.txt'), 'changed\n');

    expect(await uncommittedFiles(linked, head)).toEqual(['a.txt']);
    expect(await uncommittedFiles(repo, head)).toEqual([]);
  });

  it('are found without a filter, monitor or hook that somebody put into the repository', async () => {
    const marker = join(freshFolder(), 'marker');
    const evil = join(freshFolder(), 'evil.sh');
    writeFileSync(evil, `#!/bin/sh\necho ran >> '${marker}'\ncat\n`);
    chmodSync(evil, 0o755);
    for (const key of ['filter.evil.clean', 'filter.evil.process', 'core.fsmonitor', 'diff.external'])
      git('config', key, evil);
    writeFileSync(join(repo, '.git/info/attributes'), '* filter=evil diff=evil\n');
    writeFileSync(join(repo, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(repo, 'a.txt'), 'X\n');

    expect(await uncommittedFiles(repo, head)).toEqual(['a.txt', '.gitattributes']);
    expect(existsSync(marker)).toBe(false);
  });

  it('are told in one line before a run starts', async () => {
    for (const name of ['1', '2', '3', '4', '5']) write(`${name}\u001b[2J.txt`);
    const { context, err } = openTerminal({});

    await lookForUncommitted(repo, head)(context);
    await lookForUncommitted(join(repo, 'nowhere'), head)(context);

    expect(err).toHaveLength(1);
    expect(err[0]).toMatch(/^Note: 5 files of your checkout are not committed, and not in the run: .*, and 2 more$/);
    expect(err[0]).not.toContain('\u001b');
  });
});
