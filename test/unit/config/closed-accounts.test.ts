import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ClosedAccount, closeAccount, closedAccounts, openAccount } from '../../../config/home/closed-accounts.js';
import { tempFolders } from '../../support/temp-folder.js';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const HOUR_MS = 3_600_000;
const at = (ms: number) => new Date(NOW + ms).toISOString();
const anEntry = (account: string, ms = HOUR_MS): ClosedAccount => ({
  account,
  until: at(ms),
  expiresAt: at(ms),
  opening: null,
});

describe('the accounts that a host holds for closed', () => {
  const freshFolder = tempFolders();
  let home: string;
  const file = () => join(home, 'closed-accounts.json');
  const names = (now = NOW) => closedAccounts(home, now).map(({ account }) => account);

  beforeEach(() => {
    home = freshFolder();
  });

  it('are kept in a private file, the newest word of each, until their time', async () => {
    await closeAccount(home, anEntry('a/x'), NOW);
    await closeAccount(home, anEntry('b/x', 2 * HOUR_MS), NOW);
    await closeAccount(home, { ...anEntry('a/x', 3 * HOUR_MS), opening: 'word' }, NOW);

    expect(closedAccounts(home, NOW)).toEqual([
      { ...anEntry('a/x', 3 * HOUR_MS), opening: 'word' },
      anEntry('b/x', 2 * HOUR_MS),
    ]);
    expect(names(NOW + 2 * HOUR_MS)).toEqual(['a/x']);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('are opened one by one; what is not there is opened already', async () => {
    await closeAccount(home, anEntry('a/x'), NOW);
    await closeAccount(home, anEntry('b/x'), NOW);
    await openAccount(home, 'a/x');
    await openAccount(home, 'c/x');

    expect(names()).toEqual(['b/x']);
  });

  it('are none lost when many are written at once', async () => {
    const accounts = Array.from({ length: 20 }, (_, n) => `a${n}/x`);

    await Promise.all(accounts.map((account) => closeAccount(home, anEntry(account), NOW)));

    expect(names().toSorted()).toEqual(accounts.toSorted());
  });

  it.each([
    ['no file', null],
    ['garbage', '{'],
  ])('are changed by one process at a time, also where there is %s yet', async (_what, text) => {
    const lock = `${file()}.lock`;
    const content = () => (existsSync(file()) ? readFileSync(file(), 'utf8') : null);
    if (text !== null) writeFileSync(file(), text);
    writeFileSync(lock, `${process.pid} another\n`);

    const closing = closeAccount(home, anEntry('a/x'), NOW);
    const meanwhile = content();
    writeFileSync(file(), JSON.stringify({ version: 1, accounts: [anEntry('b/x')] }));
    rmSync(lock);
    await closing;

    expect(meanwhile).toBe(text);
    expect(names()).toEqual(['a/x', 'b/x']);
  });

  it('are forgotten when they are over, so that the file stays small', async () => {
    for (let n = 0; n < 5; n += 1) await closeAccount(home, anEntry(`old${n}/x`, 10), NOW);
    await closeAccount(home, anEntry('new/x'), NOW + 20);

    expect(statSync(file()).size).toBeLessThan(400);
  });

  it.each([
    ['JSON that is none', (path: string) => writeFileSync(path, '{"version":1,')],
    ['another version', (path: string) => writeFileSync(path, '{"version":2,"accounts":[]}')],
    [
      'names that are none',
      (path: string) => writeFileSync(path, JSON.stringify({ version: 1, accounts: [anEntry('__proto__')] })),
    ],
    [
      'times that are none',
      (path: string) =>
        writeFileSync(path, JSON.stringify({ version: 1, accounts: [{ ...anEntry('a/x'), expiresAt: 'never' }] })),
    ],
    ['300 KB', (path: string) => writeFileSync(path, ' '.repeat(300_000))],
    ['a pipe', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', path])],
  ])('are none in a file that holds %s, and the next word is kept all the same', async (_what, spoil) => {
    spoil(file());
    expect(names()).toEqual([]);

    await closeAccount(home, anEntry('a/x'), NOW);

    expect(names()).toEqual(['a/x']);
  });

  it('are none in a folder of that name', () => {
    mkdirSync(file());

    expect(names()).toEqual([]);
  });

  it('do not hold for years, whoever wrote it', () => {
    writeFileSync(file(), JSON.stringify({ version: 1, accounts: [anEntry('a/x', 400 * 24 * HOUR_MS)] }));

    expect(names()).toEqual([]);
  });
});
