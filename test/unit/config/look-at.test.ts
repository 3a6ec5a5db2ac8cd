import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { lookAt } from '../../../config/system/look-at.js';
import { removeFolders, tempFolder } from '../git/repository-fixture.js';

afterEach(removeFolders);

describe('a look at a path', () => {
  it('sees a link itself, also one that leads to itself or nowhere', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    symlinkSync(join(folder, 'ring'), join(folder, 'ring'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'lost'));

    const isLink = (name: string) => lookAt(join(folder, name))?.isSymbolicLink();

    expect(['real', 'link', 'ring', 'lost'].map(isLink)).toEqual([false, true, true, true]);
  });

  it('finds nothing where nothing is, where the way leads through a file, and where we may not look', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'ring'), join(folder, 'ring'));

    const found = ['gone', 'file/below', 'ring/below', 'x'.repeat(5_000)].map((name) => lookAt(join(folder, name)));

    expect(found).toEqual([null, null, null, null]);
  });
});
