import { describe, expect, it } from '@jest/globals';
import { faultsOf, readsOf } from '../../../tools/check-reads.js';

const listed = { 'a.ts': { reads: 'open', why: 'writes' } };

describe('the check of reads', () => {
  it.each([
    [`import { readFile } from 'node:fs/promises';`, ['readFile']],
    [`import { existsSync, readFileSync as take } from 'fs';`, ['readFileSync']],
    [
      `import {\n  createReadStream,\n  type Stats,\n  opendirSync,\n} from 'node:fs';`,
      ['createReadStream', 'opendirSync'],
    ],
    [`import fs from 'node:fs';`, ['*']],
    [`import * as fs from 'node:fs/promises';`, ['*']],
    [`import { promises } from 'node:fs';`, ['*']],
    [`export { readFile } from 'node:fs/promises';`, ['readFile']],
    [`const { readFile } = await import('node:fs/promises');`, ['*']],
    [`const fs = process.getBuiltinModule('fs');`, ['*']],
    [`import type { Stats } from 'node:fs';`, []],
    [`import { lstat, type FileHandle } from 'node:fs/promises';\nimport { open } from './ours.js';`, []],
  ])('sees what %j takes', (source, reads) => {
    expect(readsOf(source)).toEqual(reads);
  });

  it('refuses a read that is not listed, one more of a file that is, and a line that nobody needs', () => {
    const opens = `import { open } from 'node:fs/promises';`;
    const both = `import { open, readFile } from 'node:fs/promises';`;

    expect(faultsOf(new Map([['a.ts', opens]]), listed)).toEqual([]);
    expect(faultsOf(new Map([['a.ts', both]]), listed)).toEqual([expect.stringContaining('a.ts takes readFile')]);
    expect(
      faultsOf(
        new Map([
          ['a.ts', opens],
          ['b.ts', opens],
        ]),
        listed,
      ),
    ).toEqual([expect.stringContaining('b.ts takes open')]);
    expect(faultsOf(new Map([['a.ts', '']]), listed)).toEqual([expect.stringContaining('a.ts does not take open')]);
  });
});
