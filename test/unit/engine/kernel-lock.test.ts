/** What an engine sees of the lock of its home. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fileOfLock } from '../../../worker/local-engine/state/kernel-lock.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();

afterEach(() => {
  process.seteuid?.(process.getuid?.() ?? 0);
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
