/** What a person is shown of the log of a program that died, and how long a log may get. */
import { spawnSync } from 'node:child_process';
import { closeSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { appendLine, openLog, readTail, turnOverInUse } from '../../../worker/local-engine/children/log-file.js';
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

describe('a log that is long', () => {
  it('is read at its end alone: the heap of an engine has no room for the whole', () => {
    const file = join(folder, 'log');
    writeFileSync(file, `${'a line of a log\n'.repeat(4_000_000)}the reason\n`);
    const module = new URL('../../../worker/local-engine/children/log-file.ts', import.meta.url).href;
    const program = `
      const { readTail } = await import(${JSON.stringify(module)});
      console.log(readTail(${JSON.stringify(file)}).split('\\n').at(-1));
    `;

    const { status, stdout } = spawnSync(
      process.execPath,
      ['--max-old-space-size=64', '--import', 'tsx', '--input-type=module', '-e', program],
      { cwd: fileURLToPath(new URL('../../../', import.meta.url)), encoding: 'utf8' },
    );

    expect([status, stdout]).toEqual([0, 'the reason\n']);
  });

  it('is turned over while a process has it open, which goes on at its end', () => {
    const file = join(folder, 'log');
    const log = openLog(file);
    appendLine(log, 'x'.repeat(1_000_001));
    turnOverInUse(file);
    appendLine(log, 'after');
    turnOverInUse(file);
    closeSync(log);

    expect(readFileSync(file, 'utf8')).toBe('after\n');
    expect(statSync(`${file}.1`).size).toBe(1_000_002);
  });
});
