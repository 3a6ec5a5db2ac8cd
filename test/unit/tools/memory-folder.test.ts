/** Where the tests' folders may lie in memory: on a tmpfs with room, from which programs can be run. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findMemoryFolder } from '../../../tools/memory-folder.js';
import { itWhere } from '../../support/it-where.js';
import { canMount } from '../../support/small-disk.js';
import { tempFolders } from '../../support/temp-folder.js';

const GIB = 1024 ** 3;
const freshFolder = tempFolders();
const mounted: string[] = [];
afterEach(() => {
  for (const folder of mounted.splice(0)) execFileSync('umount', ['--lazy', folder]);
});

function mountTmpfs(options: string): string {
  const folder = freshFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
  mounted.push(folder);
  return folder;
}

describe('a folder in memory', () => {
  const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');

  it.each(['/proc', '/nonexistent/folder'])('is not %s', (folder) => {
    expect(findMemoryFolder(folder)).toBe(null);
  });

  mountTest('is one that has room, and from which programs can be run', () => {
    const folder = mountTmpfs('size=5g');

    expect(findMemoryFolder(folder, 8 * GIB)).toBe(folder);
    expect(findMemoryFolder(folder, 7 * GIB)).toBe(null);
  });

  mountTest.each(['size=1g', 'size=5g,noexec'])('is not one with %s', (options) => {
    expect(findMemoryFolder(mountTmpfs(options), 8 * GIB)).toBe(null);
  });
});
