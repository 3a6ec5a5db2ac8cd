/** Every command of ours that a page or a message prints is one that the program takes: its name, its options, and how many words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../../../client/cli/program.js';

interface Printed {
  /** `file:line`. */
  readonly at: string;
  readonly command: string;
}

const below = (folder: string, end: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(folder, name));

/** It says what commands do. */
const IN_SENTENCES = ['client/cli/program/wrong-usage.ts'];

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below('docs', '.md')].filter(
  // Lines of sources, rows of what is to come, and what was weighed stand there as they are.
  (page) => !/mutants\.md$|^docs\/(?:requirements|decisions)\//.test(page),
);
const SOURCES = ['client', 'config', 'activities', 'worker', 'workflows', 'protocol']
  .flatMap((folder) => below(folder, '.ts'))
  .filter((file) => !IN_SENTENCES.includes(file));

/** As a person pastes it: placeholders are words, and what is said behind four spaces or in brackets is no part of it. */
function plain(text: string): string {
  return text
    .replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, 'x')
    .replace(/\\n.*$/, '')
    .replace(/ {2,}.*$/, '')
    .replace(/\s+(?:#|\||>|&&|;).*$/, '')
    .replace(/\\?"[^"]*\\?"/g, 'x')
    .replace(/<[^>]*>/g, 'x')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[…\\]/g, '')
    .replace(/[).,:]+$/, '')
    .trim();
}

function inPage(page: string): readonly Printed[] {
  return readFileSync(page, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const spans = [...line.matchAll(/`(sluice [^`]+)`/g)].map(([, span]) => span ?? '');
      const alone = /^(sluice [a-z].*)$/.exec(line)?.[1];
      return [...spans, ...(alone === undefined ? [] : [alone])].map((command) => ({
        at: `${page}:${index + 1}`,
        command,
      }));
    });
}

/** A literal, or what in a literal stands behind its last colon, or behind the four spaces of a hint. */
function inSource(file: string): readonly Printed[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*(?:\*|\/\*|\/\/)/.test(line)) return [];
      const found = [...line.matchAll(/(?:['`]|: | {4})(sluice [a-z-]+[^'`]*)/g)].map(([, text]) => text ?? '');
      return found.map((command) => ({ at: `${file}:${index + 1}`, command }));
    });
}

/** Null: it is taken. */
async function refusal(command: string): Promise<string | null> {
  const [own = '', behind] = command.split(/ -- ?/);
  const said: string[] = [];
  const program = createProgram({
    behindDashes: behind === undefined ? [] : behind.split(' '),
    out: () => {},
    write: () => {},
    err: (text: string) => void said.push(text),
    start: async () => {},
  });
  const words = own.split(/\s+/).slice(1);
  try {
    await program.parseAsync(words, { from: 'user' });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // A name alone stands for the command, whatever it takes.
    const isName = /^commander\.(?:help|helpDisplayed|missingArgument)$/.test(error.code);
    return isName ? null : said.join(' ');
  }
}

const NAMES =
  /^sluice (?!x\b|works\b|is\b|does\b|takes\b|has\b|home\b|worker's\b|init's\b|cannot\b|needs\b|itself\b|by\b|on\b|of\b|and\b|or\b|in\b|the\b|which\b|as\b|never\b|under\b)[a-z-]+/;

describe('a command that is printed', () => {
  it.each([
    ['pages', PAGES.flatMap(inPage)],
    ['messages', SOURCES.flatMap(inSource)],
  ])('on %s is one that can be pasted', async (_, printed) => {
    const wrong: string[] = [];
    const known = printed
      .map(({ at, command }) => ({ at, command: plain(command) }))
      .filter(({ command }) => NAMES.test(command) && !/ · |\$\{/.test(command));
    for (const { at, command } of known) {
      const why = await refusal(command);
      if (why !== null) wrong.push(`${at}: ${command}: ${why}`);
    }

    expect(known.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });
});
