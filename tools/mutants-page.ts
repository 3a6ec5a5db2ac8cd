/** docs/mutants.md and docs/mutants.json: the list of test/mutants, and what was found when each was tried last. */
import { existsSync, readFileSync } from 'node:fs';
import { AREAS, type Mutant, type MutantResult, resultOf } from '../test/mutants/mutant.js';
import { MUTANTS } from '../test/mutants/mutants.js';

export const RESULTS_FILE = 'docs/mutants.json';
export const PAGE_FILE = 'docs/mutants.md';

export function renderMutants(): string {
  const found = new Map(readResults().map((result) => [keyOf(result), result.killed ? 'red' : '**SURVIVED**']));
  const foundOf = (mutant: Mutant) => found.get(keyOf(resultOf(mutant, true))) ?? '**not tried yet**';
  const areas = AREAS.filter((area) => MUTANTS.some((mutant) => mutant.area === area));
  return [
    '# Mutants',
    '',
    'Generated from `test/mutants` and `docs/mutants.json` by `npm run docs`; do not edit. Each row is one line of the product as a hurried',
    'engineer could have left it, and the test that turns red for it. `npm run mutants` tries them all in a private copy of the tree: the tests',
    'are green without any mutant, every mutant compiles, and only a test counts that ran and failed, or that is not done, alone, in four times',
    'what it takes without its mutant and 20 s. A survivor fails the command.',
    '',
    `${MUTANTS.filter((mutant) => foundOf(mutant) === 'red').length} of ${MUTANTS.length} were killed when they were tried last.`,
    ...areas.flatMap((area) => [
      '',
      `## ${area}`,
      '| sabotage | file | instead of | stands | test | found |',
      '|---|---|---|---|---|---|',
      ...MUTANTS.filter((mutant) => mutant.area === area).map((mutant) => rowOf(mutant, foundOf(mutant))),
    ]),
    '',
  ].join('\n');
}

/** Sorted, without times, so that a run which found the same writes the same. */
export function renderResults(results: readonly MutantResult[]): string {
  const sorted = [...results].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return `${JSON.stringify({ mutants: sorted }, null, 2)}\n`;
}

/** The last result of each mutant that is still in the list as it was tried. */
export function withEarlier(results: readonly MutantResult[]): readonly MutantResult[] {
  const tried = new Set(results.map(keyOf));
  const listed = new Set(MUTANTS.map((mutant) => keyOf(resultOf(mutant, true))));
  return [...results, ...readResults().filter((earlier) => !tried.has(keyOf(earlier)) && listed.has(keyOf(earlier)))];
}

export function readResults(): readonly MutantResult[] {
  if (!existsSync(RESULTS_FILE)) return [];
  // Written by renderResults alone.
  return (JSON.parse(readFileSync(RESULTS_FILE, 'utf8')) as { mutants: readonly MutantResult[] }).mutants;
}

/** A result is about this change and this test of it, no other. */
function keyOf({ area, name, file, test, change }: MutantResult): string {
  return [area, name, file, test.file, test.title, change].join('\n');
}

function rowOf({ name, file, find, replace, test }: Mutant, found: string): string {
  const stands = replace.trim() === '' ? 'nothing' : code(replace);
  return `| ${cell(name)} | ${code(file)} | ${code(find)} | ${stands} | ${code(test.file)}: "${cell(test.title)}" | ${found} |`;
}

/** A code span that holds backticks needs a longer fence. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return cell(`${fence}${text.trim()}${fence}`);
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
