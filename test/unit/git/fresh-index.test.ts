/** Looks at a worktree that keep what they found in the index, and what an agent can do to be overlooked by them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { areOlder } from '../../../activities/git/inspect/index-times.js';
import { git, type OpenedRun, openRun, removeFolders, write } from './repository-fixture.js';

const MANY = Object.fromEntries(Array.from({ length: 800 }, (_, n) => [`part-${n % 20}/file-${n}.txt`, `line ${n}\n`]));
const FILE = 'part-1/file-1.txt';
const FOLDER = 'part-3';
const OTHER = 'part-2/file-2.txt';
const OLD = new Date(1_000_000_000_000);

const indexOf = (run: OpenedRun) => join(run.gitDir, 'index');
const keeps = (run: OpenedRun) => Number.isInteger(lstatSync(indexOf(run)).mtimeMs / 1000);
const listed = async (run: OpenedRun) => (await run.run.changes()).map(({ path }) => path);

/** By the clock of the file system, which each write reads. */
async function untilNextSecond(run: OpenedRun): Promise<void> {
  const probe = join(run.home, 'probe');
  const now = () => {
    writeFileSync(probe, '');
    return Math.floor(lstatSync(probe).ctimeMs / 1000);
  };
  for (const began = now(); now() === began; ) await nextTurn();
}

/** Other bytes of the same number, with the times of the file before; `by`: in place, or another file in its place. */
function forge(path: string, by: 'writing' | 'renaming'): void {
  const { atime, mtime } = lstatSync(path);
  const text = readFileSync(path, 'utf8').replace('line', 'LINE');
  if (by === 'writing') writeFileSync(path, text);
  else {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }
  utimesSync(path, atime, mtime);
}

/** A new file in a folder that keeps its times. */
function addUnseen(run: OpenedRun, folder: string): void {
  const path = join(run.worktree, folder);
  const { atime, mtime } = lstatSync(path);
  write(run.worktree, `${folder}/new.txt`, 'new');
  utimesSync(path, atime, mtime);
}

/** Another folder in its place, with the same files and times and a new file. */
function swapUnseen(run: OpenedRun, folder: string): void {
  const path = join(run.worktree, folder);
  const { atime, mtime } = lstatSync(path);
  cpSync(path, join(run.home, 'other'), { recursive: true, preserveTimestamps: true });
  write(join(run.home, 'other'), 'new.txt', 'new');
  rmSync(path, { recursive: true });
  renameSync(join(run.home, 'other'), path);
  utimesSync(path, atime, mtime);
}

afterEach(removeFolders);

describe('a look at a worktree of many files', () => {
  it('keeps its index once the second of the checkout is over, and once only', async () => {
    const run = await openRun(MANY);
    await untilNextSecond(run);
    expect(keeps(run)).toBe(false);

    expect(await listed(run)).toEqual([]);

    expect(keeps(run)).toBe(true);
    const { ino } = lstatSync(indexOf(run));
    await untilNextSecond(run);
    expect(await listed(run)).toEqual([]);
    expect(lstatSync(indexOf(run)).ino).toBe(ino);
    expect(readdirSync(run.gitDir).filter((name) => name.startsWith('index'))).toEqual(['index']);
  });

  it.each(['writing', 'renaming'] as const)('sees a file of the same size and times, by %s', async (by) => {
    const run = await openRun(MANY);
    await untilNextSecond(run);
    await listed(run);
    expect(keeps(run)).toBe(true);

    forge(join(run.worktree, FILE), by);

    expect(await listed(run)).toEqual([FILE]);
  });

  it('keeps none in the second in which a file changed, for it may change once more in it', async () => {
    const run = await openRun(MANY);
    const path = join(run.worktree, FILE);
    await untilNextSecond(run);
    write(run.worktree, FILE, readFileSync(path, 'utf8'));
    utimesSync(path, OLD, OLD);

    expect(await listed(run)).toEqual([]);
    forge(path, 'writing');

    expect(await listed(run)).toEqual([FILE]);
  });

  it.each([
    ['whose time was set back', addUnseen],
    ['that took the place of another, with its times', swapUnseen],
  ])('remembers folders, and sees a file that is new in one %s', async (_, change) => {
    const run = await openRun(MANY);
    await untilNextSecond(run);
    await listed(run);
    expect(readFileSync(indexOf(run)).includes('UNTR')).toBe(true);
    expect(keeps(run)).toBe(true);

    change(run, FOLDER);

    expect(await listed(run)).toEqual([`${FOLDER}/new.txt`]);
  });

  it.each([
    ['a folder', FOLDER],
    ['a folder of ignored files alone', 'built'],
  ])('keeps none in the second in which %s changed, for it may change once more in it', async (_, folder) => {
    const run = await openRun({ ...MANY, '.gitignore': '*.o\n' });
    await untilNextSecond(run);
    write(run.worktree, `${folder}/left.o`, 'object');
    utimesSync(join(run.worktree, folder), OLD, OLD);

    expect(await listed(run)).toEqual([]);
    addUnseen(run, folder);

    expect(await listed(run)).toEqual([`${folder}/new.txt`]);
  });

  it('sees what is ignored no more where a .gitignore has other bytes of the same number', async () => {
    const run = await openRun({ ...MANY, [`${FOLDER}/.gitignore`]: 'line*\n' });
    write(run.worktree, `${FOLDER}/line.o`, 'object');
    await untilNextSecond(run);
    expect(await listed(run)).toEqual([]);
    expect(keeps(run)).toBe(true);

    forge(join(run.worktree, FOLDER, '.gitignore'), 'writing');

    expect(await listed(run)).toEqual([`${FOLDER}/.gitignore`, `${FOLDER}/line.o`]);
  });

  it('keeps its index among as many ignored files, sees a new one beside them, and all of them once they are ignored no more', async () => {
    const run = await openRun({ ...MANY, '.gitignore': '*.o\n' });
    const objects = Object.keys(MANY).map((path) => path.replace(/txt$/, 'o'));
    for (const path of objects) write(run.worktree, path, 'object');
    await untilNextSecond(run);
    expect(await listed(run)).toEqual([]);
    expect(keeps(run)).toBe(true);

    write(run.worktree, `${FOLDER}/new.txt`, 'new');
    expect(await listed(run)).toEqual([`${FOLDER}/new.txt`]);

    write(run.worktree, '.gitignore', '*.a\n');
    expect(new Set(await listed(run))).toEqual(new Set(['.gitignore', `${FOLDER}/new.txt`, ...objects]));
  });

  it('is not misled by a folder that is replaced while it is read', async () => {
    const run = await openRun(MANY);
    const [path, other, aside] = [join(run.worktree, FOLDER), join(run.home, 'other'), join(run.home, 'aside')];
    cpSync(path, other, { recursive: true, preserveTimestamps: true });
    write(other, 'new.txt', 'new');
    const swap = `mv '${path}' '${aside}' && mv '${other}' '${path}' && mv '${aside}' '${other}'`;
    const swaps = spawn('/bin/sh', [
      '-c',
      `while [ ! -e '${run.home}/enough' ]; do ${swap}; done; test -e '${path}/new.txt' || { ${swap}; }`,
    ]);
    const ended = once(swaps, 'exit');

    for (let looks = 0; looks < 20; looks += 1) await listed(run).catch(() => []);
    writeFileSync(join(run.home, 'enough'), '');
    expect(await ended).toEqual([0, null]);

    expect(await listed(run)).toEqual([`${FOLDER}/new.txt`]);
    await untilNextSecond(run);
    expect(await listed(run)).toEqual([`${FOLDER}/new.txt`]);
  });

  it('takes what a look that was killed left for no index, and a reset removes it', async () => {
    const run = await openRun(MANY);
    writeFileSync(`${indexOf(run)}.left`, 'torn');
    write(run.worktree, OTHER, 'changed\n');

    expect(await listed(run)).toEqual([OTHER]);
    await run.run.restore(run.base);

    expect(readdirSync(run.gitDir).filter((name) => name.startsWith('index'))).toEqual(['index']);
    expect(await listed(run)).toEqual([]);
  });
});

describe('the commit of a write turn', () => {
  it('is not believed for a file that changes once more in its second, with the time and the size that it had', async () => {
    const run = await openRun({ [FILE]: 'none 1\n' });
    const path = join(run.worktree, FILE);
    await untilNextSecond(run);
    write(run.worktree, FILE, 'line 1\n');
    utimesSync(path, OLD, OLD);
    const about = { claimedAt: '2026-11-21T10:00:03.120Z', subject: 'executing: change it', body: '' };

    const planned = await run.run.plan({ expectedHead: run.base, ...about });
    if (planned === null) throw new Error('nothing planned');
    await run.run.publish(planned);
    forge(path, 'writing');

    expect(await listed(run)).toEqual([FILE]);
  });
});

describe('the times of an index', () => {
  it('are those of the file that changed last, names of any length', async () => {
    const names = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'ggggggg', 'hhhhhhhh', 'iiiiiiiii'];
    const run = await openRun(Object.fromEntries(names.map((name) => [name, name])));
    git(run.root, 'update-index', '--skip-worktree', 'ccc');
    for (const index of [indexOf(run), join(run.root, '.git/index')].map((path) => readFileSync(path))) {
      const folder = index.equals(readFileSync(indexOf(run))) ? run.worktree : run.root;
      const last = Math.max(...names.map((name) => Math.floor(lstatSync(join(folder, name)).ctimeMs / 1000)));

      expect([areOlder(index, last), areOlder(index, last + 1)]).toEqual([false, true]);
      expect(areOlder(index.subarray(0, index.length - 40), last + 1)).toBe(false);
    }
  });

  it('are not known of an index whose names have no end, which is read once', () => {
    const index = Buffer.alloc(1_000, 'a');
    index.writeUInt32BE(2, 4);
    index.writeUInt32BE(0xffff_ffff, 8);
    let reads = 0;
    index.readUInt32BE = (at) => {
      reads += 1;
      if (reads > 10) throw new Error('it is read on and on');
      return Buffer.prototype.readUInt32BE.call(index, at);
    };

    expect(areOlder(index, 4_000_000_000)).toBe(false);
  });

  it('are not known of an index of another version', async () => {
    const run = await openRun({ a: 'a' });
    git(run.root, 'update-index', '--index-version', '4');

    expect(areOlder(readFileSync(join(run.root, '.git/index')), 4_000_000_000)).toBe(false);
  });
});
