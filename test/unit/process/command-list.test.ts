/** The list of started commands, which lies where an agent of the same user can write when it has no sandbox. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CommandList, openCommandList } from '../../../activities/process/guard/command-list.js';

const TOKEN = '00000000-0000-4000-8000-000000000000';
const OWN = '00000000-0000-4000-8000-000000000001';

describe('the list of started commands', () => {
  let root: string;
  let home: string;
  let folder: string;
  let said: string[];
  let list: CommandList;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sluice-command-list-'));
    // For the user that counts, who is not root.
    chmodSync(root, 0o777);
    process.seteuid?.(process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0));
    home = join(root, 'home');
    mkdirSync(home);
    writeFileSync(join(home, 'host-id'), 'abcdef\n');
    folder = join(home, 'guard');
    said = [];
    list = openCommandList(home, { durability: 'process', log: (message) => said.push(message) });
    mkdirSync(join(home, 'kept'));
    writeFileSync(join(folder, `${TOKEN}.json`), JSON.stringify({ token: TOKEN, dir: '/somewhere', owner: {} }));
  });
  afterEach(() => {
    process.seteuid?.(process.getuid?.() ?? 0);
    rmSync(root, { recursive: true, force: true });
  });

  /** As a guard does once a second. */
  const lookOften = () => {
    for (let n = 0; n < 11; n += 1) expect(list.others()).toEqual([]);
  };

  it('that was locked is taken back, and is read again a second later', () => {
    chmodSync(folder, 0o000);

    expect(list.others()).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(list.others()).toMatchObject([{ token: TOKEN, ownerLives: false }]);
    expect(said).toEqual(['the list of commands cannot be read']);
  });

  it('that became a file is empty until it is a folder again', () => {
    renameSync(folder, join(home, 'kept', 'guard'));
    writeFileSync(folder, '');
    expect([list.others(), list.others()]).toEqual([[], []]);
    rmSync(folder);
    renameSync(join(home, 'kept', 'guard'), folder);

    expect(list.others()).toMatchObject([{ token: TOKEN }]);
    expect(said).toEqual(['the list of commands cannot be read']);
  });

  it('that is gone is made again with what is its own; without the home that it began in it is told as gone', () => {
    list.own(OWN, '/here');
    rmSync(folder, { recursive: true });
    lookOften();
    expect(list.get(OWN)).toMatchObject({ dir: '/here', ownerLives: true });

    renameSync(home, `${home}-old`);
    expect(() => list.others()).toThrow('ENOENT');
    mkdirSync(home);
    expect(() => list.others()).toThrow('ENOENT');
  });

  it('that is made again while whoever removes all of its home is at it is told as gone once more of that is', () => {
    rmSync(folder, { recursive: true });
    expect(list.others()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    lookOften();
    expect(existsSync(folder)).toBe(true);

    rmSync(join(home, 'host-id'));
    expect(() => list.others()).toThrow('ENOENT');
    expect(() => list.others()).toThrow('ENOENT');
  });
});
