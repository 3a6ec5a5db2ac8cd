/**
 * What can be known of docs/conformance.json without running tests: it has its own form, the files that it names exist, and no file of
 * test/conformance is missing in it. That it says what the tests show is checked by `npm test`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CONFORMANCE_FILE, readConformance, renderConformance } from './conformance.js';
import { ROW_PARTS, shownParts } from './row-parts.js';

const FOLDER = 'test/conformance';

const problems = existsSync(CONFORMANCE_FILE)
  ? problemsOf(readFileSync(CONFORMANCE_FILE, 'utf8'))
  : [`${CONFORMANCE_FILE} is missing.`];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function problemsOf(text: string): string[] {
  const shown = readConformance();
  const named = new Set(shown.map(({ file }) => file));
  const tests = existsSync(FOLDER)
    ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'))
    : [];
  return [
    ...(renderConformance(shown) === text ? [] : [`${CONFORMANCE_FILE} was changed by hand.`]),
    ...[...named]
      .filter((file) => !existsSync(file))
      .map((file) => `${CONFORMANCE_FILE} names ${file}, which does not exist.`),
    ...shownParts(shown)
      .filter(({ row, part, shownBy }) => ROW_PARTS[row]?.[part] !== null && shownBy.length === 0)
      .map(({ row, part }) => `tools/row-parts.ts: no title of ${row} shows "${part}"; name its words, or null.`),
    ...tests
      .map((name) => `${FOLDER}/${name}`)
      .filter((file) => !named.has(file))
      .map((file) => `${CONFORMANCE_FILE} does not know ${file}.`),
  ];
}
