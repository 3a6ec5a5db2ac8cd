/** The examples of the help: each command has two, and each is one that the program takes. What they do is tried in test/e2e. */
import { CommanderError } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../../../client/cli/program/examples.js';
import { COMMANDS, createProgram } from '../../../client/cli/program.js';

/** The words of `sluice …` in a line of a shell; none of the examples quotes otherwise. */
function wordsOf(line: string): readonly string[] {
  const own = /\$\((sluice [^)]*)\)/.exec(line)?.[1] ?? line.replace(/ > .*$/, '');
  const words = own.match(/"[^"]*"|\S+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll('"', ''));
}

async function parse(words: readonly string[]): Promise<string | null> {
  let started = 0;
  const [own, behindDashes] = words.includes('--')
    ? [words.slice(0, words.indexOf('--')), words.slice(words.indexOf('--') + 1)]
    : [words, []];
  const said: string[] = [];
  const program = createProgram({
    behindDashes,
    out: () => {},
    write: () => {},
    err: (text: string) => void said.push(text),
    start: async () => {
      started += 1;
    },
  });
  try {
    await program.parseAsync([...own], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return said.join('\n');
  }
  return started === 1 ? null : 'nothing was started';
}

describe('the examples', () => {
  it('are of every command and of no other', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted());
  });

  it.each(Object.entries(EXAMPLES).flatMap(([name, lines]) => lines.map((line) => [name, line] as const)))(
    'of %s: %s is taken',
    async (name, line) => {
      const words = wordsOf(line);

      expect(words.slice(0, name.split(' ').length)).toEqual(name.split(' '));
      expect(await parse(words)).toBeNull();
    },
  );

  it('stand in the help of their command', async () => {
    const shown: string[] = [];
    const program = createProgram({
      behindDashes: [],
      write: () => {},
      err: () => {},
      start: async () => {},
      out: (text) => void shown.push(text),
    });

    await program.parseAsync(['run', '--help'], { from: 'user' }).catch(() => {});

    expect(shown.join('\n')).toContain(`Examples:\n  ${EXAMPLES['run']?.join('\n  ')}`);
  });
});
