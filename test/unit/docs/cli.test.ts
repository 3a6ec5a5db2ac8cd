/** Holds the table of exit codes in docs/cli.md to the commands and what their help says. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../client/cli/program.js';

const rows = readFileSync('docs/cli.md', 'utf8')
  .replace(/^[^]*?\| command \| can return \|\n\|---\|---\|\n/, '')
  .replace(/\n\n[^]*$/, '')
  .split('\n');

const documented = rows.flatMap((row) => {
  const [, names = '', codes = ''] = row.split('|');
  return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']): readonly [string, string] => [name, codes.trim()]);
});

/** The numbers in the help of a command. */
async function codesOf(name: string): Promise<string> {
  const out: string[] = [];
  const program = createProgram({ behindDashes: [], out: (text) => out.push(text), err: () => {}, start: async () => {} });
  await program.parseAsync([...name.split(' '), '--help'], { from: 'user' }).catch(() => {});
  const [, told = ''] = out.join('\n').split('Exit codes:\n');
  return [...told.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => code).join(', ');
}

describe('the exit codes in docs/cli.md', () => {
  it('stand once for each command, and for every one', () => {
    const names = documented.map(([name]) => name);
    const program = createProgram({ behindDashes: [], out: () => {}, err: () => {}, start: async () => {} });
    const commands = program.commands.flatMap((command) =>
      command.commands.length === 0 ? [command.name()] : command.commands.map((inner) => `${command.name()} ${inner.name()}`),
    );

    expect(names.toSorted()).toEqual([...commands].toSorted());
  });

  it.each(documented)('of %s are those of its help', async (name, codes) => {
    expect(await codesOf(name)).toBe(codes);
  });
});
