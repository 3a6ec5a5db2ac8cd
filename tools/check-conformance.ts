/**
 * What can be known of docs/conformance.json without running tests: it has its own form, the files that it names exist, and no file of
 * test/conformance is missing in it. That it says what the tests show is checked by `npm test`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type ConformanceRow, renderConformance } from './conformance.js';

const TARGET = 'docs/conformance.json';
const FOLDER = 'test/conformance';

const problems = existsSync(TARGET) ? problemsOf(readFileSync(TARGET, 'utf8')) : [`${TARGET} is missing.`];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function problemsOf(text: string): string[] {
  // Written by write-conformance; a hand-made change shows in the comparison below.
  const { shown } = JSON.parse(text) as { shown: readonly ConformanceRow[] };
  const named = new Set(shown.map(({ file }) => file));
  const tests = existsSync(FOLDER)
    ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
    : [];
  return [
    ...(renderConformance(shown) === text ? [] : [`${TARGET} was changed by hand.`]),
    ...[...named].filter((file) => !existsSync(file)).map((file) => `${TARGET} names ${file}, which does not exist.`),
    ...tests
      .map((name) => `${FOLDER}/${name}`)
      .filter((file) => !named.has(file))
      .map((file) => `${TARGET} does not know ${file}.`),
  ];
}
