/** Compares docs/conformance.json with jest's results (`--check`) or writes it. The results come from .cache/jest-results.json. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  CONFORMANCE_FILE,
  conformanceOf,
  type JestResults,
  readConformance,
  renderConformance,
} from './conformance.js';
import { RESULTS } from './jest-report.js';
import { readRowIds } from './requirement-pages.js';

// Jest wrote it; only the fields of JestResults are read.
const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as JestResults;
const { rows, flaky, problems } = conformanceOf(results, { root: process.cwd(), known: readRowIds() });
const text = renderConformance(rows);
const isOfOneTry = ({ file }: { readonly file: string }) => !flaky.includes(file);
for (const file of flaky) console.error(`${file} was red and taken once more: nothing counts that it shows.`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

if (!process.argv.includes('--check')) {
  writeFileSync(CONFORMANCE_FILE, text);
} else if (!existsSync(CONFORMANCE_FILE) || renderConformance(readConformance().filter(isOfOneTry)) !== text) {
  console.error(`${CONFORMANCE_FILE} does not say what the tests show now. Write it anew and commit it: npm run docs`);
  process.exitCode = 1;
}
