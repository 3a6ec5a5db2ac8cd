/** The lock of a home: who holds it, by which program, and what an engine sees of its file. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fileOfLock, tryLock, waitForLock } from '../../../worker/local-engine/state/kernel-lock.js';
import { itWhere } from '../../support/it-where.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

const usualPath = process.env['PATH'];

afterEach(() => {
  process.env['PATH'] = usualPath;
  process.seteuid?.(process.getuid?.() ?? 0);
});

const PERL = spawnSync('perl', ['-e', 'print $^X'], { encoding: 'utf8' }).stdout ?? '';

/** A program of this name in a folder of its own, which is answered. */
function aProgram(name: string, body: string, folder = freshFolder()): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return folder;
}

describe('a lock', () => {
  it('is held by one at a time, until that one lets it go', async () => {
    const file = join(freshFolder(), 'engine.lock');
    const first = await tryLock(file);

    const second = await tryLock(file);
    first?.release();
    const third = await tryLock(file);

    expect([first === null, second, third === null]).toEqual([false, null, false]);
    third?.release();
  });

  itWhere(PERL !== '', 'no perl')('is held by one at a time where perl takes it', async () => {
    const bin = freshFolder();
    symlinkSync(PERL, join(bin, 'perl'));
    process.env['PATH'] = bin;
    const file = join(freshFolder(), 'engine.lock');
    const first = await tryLock(file);

    expect([first === null, await tryLock(file)]).toEqual([false, null]);
    first?.release();
    (await waitForLock(file)).release();
  });

  it.each([
    ['fails', 'echo "flock: 3: No locks available" >&2; exit 71', /cannot be locked: flock: 3: No locks available\./],
    ['is killed', 'kill -KILL $$', /cannot be locked: flock ended with SIGKILL\./],
  ])('is not taken for held where its program %s', async (_how, body, said) => {
    process.env['PATH'] = aProgram('flock', body);
    const file = join(freshFolder(), 'engine.lock');

    await expect(tryLock(file)).rejects.toThrow(said);
    await expect(waitForLock(file)).rejects.toThrow(/a disk of this machine/);
  });

  it('is taken by no program of node_modules/.bin, nor by a relative entry of PATH', async () => {
    const folder = freshFolder();
    const body = `: > '${join(folder, 'ran')}'`;
    const bin = aProgram('flock', body, join(folder, 'node_modules/.bin'));
    process.env['PATH'] = `${bin}:.:${usualPath}`;
    const file = join(freshFolder(), 'engine.lock');

    (await tryLock(file))?.release();

    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('the file of a lock', () => {
  it('is none where it or its folder is removed', () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'home'), '');

    expect(fileOfLock(join(folder, 'engine.lock'), 'before')).toBeNull();
    expect(fileOfLock(join(folder, 'home', 'engine.lock'), 'before')).toBeNull();
  });

  it('counts as it was where the rights of its folder hide it', () => {
    const home = join(freshFolder(), 'home');
    mkdirSync(home);
    const lock = join(home, 'engine.lock');
    writeFileSync(lock, '');
    const before = fileOfLock(lock, null);
    chmodSync(home, 0o000);
    // For the user that counts, who is not root.
    if (process.getuid?.() === 0) process.seteuid?.(65_534);

    const hidden = fileOfLock(lock, before);

    process.seteuid?.(process.getuid?.() ?? 0);
    chmodSync(home, 0o700);
    expect(before).not.toBeNull();
    expect(hidden).toBe(before);
  });
});
