import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ENTRIES, type Entry, entryFile, PACKAGE_ROOT } from '../../../config/system/entries.js';

describe('the programs that are started by path', () => {
  // Their names are the keys of the table.
  it.each(Object.keys(ENTRIES) as Entry[])('has the source of %s where its build is sought', (name) => {
    expect(existsSync(entryFile(name).replace(/\.js$/, '.ts'))).toBe(true);
  });

  it('knows our package', () => {
    expect(existsSync(join(PACKAGE_ROOT, 'tools/temporal/go.mod'))).toBe(true);
  });
});
