/** What a person is shown of the log of a program that died. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { readTail } from '../../../worker/local-engine/children/log-file.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let folder: string;

beforeEach(() => {
  folder = freshFolder();
});

function tailOfLines(...lines: readonly string[]): readonly string[] {
  const file = join(folder, 'log');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return readTail(file).split('\n');
}

const STACKS = Array.from({ length: 200 }, (_, n) => `goroutine ${n} [running]:`);
const WHY = [
  'runtime: failed to create new OS thread (have 5 already; errno=11)',
  'runtime: may need to increase max user processes (ulimit -u)',
  'fatal error: newosproc',
];

describe('the end of a log', () => {
  it('is its last five lines', () => {
    expect(tailOfLines('1', '2', '3', '4', '5', '6')).toEqual(['2', '3', '4', '5', '6']);
  });

  it.each([
    ['of Go without threads', WHY],
    ['of Go', ['panic: runtime error: invalid memory address or nil pointer dereference']],
    ['of Node without memory', ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory']],
  ])('says above them why the program died, where a dump stands between: %s', (_which, why) => {
    expect(tailOfLines('time=1 level=ERROR', ...why, ...STACKS)).toEqual([...why, ...STACKS.slice(-5)]);
  });

  it('says nothing of a program that died before the last one', () => {
    expect(tailOfLines(...WHY, ...STACKS, 'Error: the port is taken', ...STACKS)).toEqual(STACKS.slice(-5));
  });

  it('shows of a line of thousands how it begins and how it ends', () => {
    const [line = ''] = tailOfLines(`Error: failed ${'because '.repeat(1000)}user: Current requires $USER`);

    expect(line).toMatch(/^Error: failed because .* … .*because user: Current requires \$USER$/);
    expect(line.length).toBeLessThan(700);
  });
});
