/** The file of a text that grows: the same bytes whoever writes them, and nothing of anybody else is followed or lost. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { FoundEntry } from '../../../activities/journal/clear-way.js';
import { LiveFile } from '../../../activities/journal/live-file.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

function place() {
  const root = freshFolder();
  const dir = join(root, 'runs', 'turns', '1-planning');
  mkdirSync(dir, { recursive: true });
  const found: FoundEntry[] = [];
  const aside = { below: join(root, 'runs'), tell: (entry: FoundEntry) => void found.push(entry) };
  return {
    root,
    dir,
    found,
    file: () => new LiveFile(dir, { root, aside }),
    read: (name = 'live.md') => readFileSync(join(dir, name), 'utf8'),
  };
}

const text = (said: string) => Buffer.from(said);

describe('a text that grows', () => {
  it('is written by two at once, of whom now one and now the other is further', () => {
    const { file, read, dir } = place();
    const [one, other] = [file(), file()];
    one.write(text('abc'), false);
    other.write(text('abcdef'), false);
    one.write(text('abcd'), false);
    one.write(text('abcdefghi'), false);
    other.write(text('abcdefgh'), false);
    other.write(text('abcdefghi'), true);

    expect(read()).toBe('abcdefghi');
    expect(readdirSync(dir)).toEqual(['live.md']);
    expect(lstatSync(join(dir, 'live.md')).mode & 0o777).toBe(0o600);
  });

  it('goes on behind what a dead writer got down, in the middle of a character too', () => {
    const { file, read } = place();
    file().write(text('1 €').subarray(0, 3), false);
    file().write(text('1 € and'), false);

    expect(read()).toBe('1 € and');
  });

  it.each([
    ['another text', 'of somebody else, and long'],
    ['a text that begins alike', 'abX'],
  ])('leaves %s as it is, and begins in a file of its own', (_, foreign) => {
    const { dir, file, read } = place();
    writeFileSync(join(dir, 'live.md'), foreign);
    const own = file();
    own.write(text('abc'), false);
    own.write(text('abcdef'), true);

    expect([read(), read('live.2.md')]).toEqual([foreign, 'abcdef']);
  });

  it('leaves what somebody added, or what goes on where ours has ended', () => {
    const { dir, file, read } = place();
    const own = file();
    own.write(text('abc'), false);
    appendFileSync(join(dir, 'live.md'), 'FOREIGN');
    own.write(text('abcdef'), false);
    appendFileSync(join(dir, 'live.2.md'), ' more');
    own.write(text('abcdef'), true);

    expect([read(), read('live.2.md'), read('live.3.md')]).toEqual(['abcFOREIGN', 'abcdef more', 'abcdef']);
  });

  it('is whole again where somebody cut or removed it', () => {
    const { dir, file, read } = place();
    const own = file();
    own.write(text('abcdef'), false);
    truncateSync(join(dir, 'live.md'), 2);
    own.write(text('abcdefgh'), false);
    const whole = read();
    rmSync(join(dir, 'live.md'));
    own.write(text('abcdefghij'), true);

    expect([whole, read()]).toEqual(['abcdefgh', 'abcdefghij']);
  });

  it('ends where every name is taken by others', () => {
    const { dir, file } = place();
    for (const name of ['live.md', ...Array.from({ length: 8 }, (_, n) => `live.${n + 2}.md`)])
      writeFileSync(join(dir, name), 'foreign');
    file().write(text('abc'), true);

    expect(readdirSync(dir)).toHaveLength(9);
  });
});

describe('what is planted in its place', () => {
  const planted: readonly (readonly [string, (path: string, victim: string) => void])[] = [
    ['a symlink', (path, victim) => symlinkSync(victim, path)],
    ['a FIFO', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => mkdirSync(path)],
  ];

  it.each(planted)('%s is moved aside, and nothing is written through it', (what, plant) => {
    const { root, dir, found, file, read } = place();
    const victim = join(root, 'victim');
    writeFileSync(victim, '');
    plant(join(dir, 'live.md'), victim);
    const own = file();
    own.write(text('abc'), false);

    expect([read(), readFileSync(victim, 'utf8')]).toEqual(['abc', '']);
    expect(found).toMatchObject([{ what, movedTo: join(dir, 'live.md.found-1') }]);

    rmSync(join(dir, 'live.md'));
    plant(join(dir, 'live.md'), victim);
    own.write(text('abcdef'), true);
    expect([read(), readFileSync(victim, 'utf8')]).toEqual(['abcdef', '']);
  });

  it('a file with a second name keeps what it has, also where that is how the text begins', () => {
    const { root, dir, file, read } = place();
    for (const content of ['', 'ab', 'other']) {
      const victim = join(root, `victim-${content}`);
      writeFileSync(victim, content);
      rmSync(join(dir, 'live.md'), { force: true });
      rmSync(join(dir, 'live.2.md'), { force: true });
      linkSync(victim, join(dir, 'live.md'));
      file().write(text('abc'), true);

      expect([readFileSync(victim, 'utf8'), read('live.2.md')]).toEqual([content, 'abc']);
    }
  });

  it('a link in the place of the folder is moved aside too', () => {
    const { root, dir, file, read } = place();
    const outside = join(root, 'outside');
    mkdirSync(outside);
    rmSync(dir, { recursive: true });
    symlinkSync(outside, dir);
    file().write(text('abc'), true);

    expect([read(), readdirSync(outside)]).toEqual(['abc', []]);
  });
});
