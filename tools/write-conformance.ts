/** Compares docs/conformance.json with jest's results (`--check`) or writes it. The results come from .cache/jest-results.json. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { conformanceOf, type JestResults, renderConformance } from './conformance.js';

const TARGET = 'docs/conformance.json';
const RESULTS = '.cache/jest-results.json';

// Jest wrote it; only the fields of JestResults are read.
const results = JSON.parse(readFileSync(RESULTS, 'utf8')) as JestResults;
const { rows, problems } = conformanceOf(results, process.cwd());
const text = renderConformance(rows);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

if (!process.argv.includes('--check')) {
  writeFileSync(TARGET, text);
} else if (!existsSync(TARGET) || readFileSync(TARGET, 'utf8') !== text) {
  console.error(`${TARGET} does not say what the tests show now. Write it anew and commit it: npm run docs`);
  process.exitCode = 1;
}
