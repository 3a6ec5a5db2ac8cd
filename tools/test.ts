/**
 * `npm test`: every jest test, then docs/conformance.json against its results. With arguments: just those tests.
 * A few files that failed beside others are run once more, alone, and named: on a slow machine their processes may have met a time limit
 * of the product. Every one named is a defect to be mended, and shows no row. After a whole run the slowest files are named, after any run the folders
 * that some test left behind.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { countsOf, failedFiles, RESULTS, readReport, slowestFiles, withRerun, writeReport } from './jest-report.js';
import { findMemoryFolder } from './memory-folder.js';

const RERUN = '.cache/jest-rerun.json';

/** More than these failed for a reason that has nothing to do with load. */
const MAX_FILES_AGAIN = 3;

const NAMED_SLOWEST = 20;

/** Of which a terminal tells this process alone. */
const END_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

const startedAt = Date.now();
const selection = process.argv.slice(2);
process.env['TMPDIR'] ??= findMemoryFolder() ?? tmpdir();
mkdirSync('.cache', { recursive: true });
rmSync(RESULTS, { force: true });
let jest = await run(jestCommand(RESULTS, selection));
if (jest !== 0 && selection.length === 0) jest = await failedFilesAgain(jest);
const conformance =
  selection.length === 0 && jest === 0 ? await run(['--import', 'tsx', 'tools/write-conformance.ts', '--check']) : 0;
if (selection.length === 0) console.log(slowest());
for (const [kind, count] of leftFolders()) console.log(`LEFT  ${count} × ${join(tmpdir(), kind)}*`);
console.log(summary());
process.exitCode = jest === 0 ? Math.max(conformance, hasRun() ? 0 : 1) : jest;

function jestCommand(results: string, more: readonly string[]): string[] {
  const flags = ['--require', './test/exit-at-once.cjs', '--experimental-vm-modules', '--no-warnings'];
  const jest = [...flags, 'node_modules/jest/bin/jest.js'];
  return [...jest, '--json', `--outputFile=${results}`, ...more];
}

/** Answers the exit code that counts. */
async function failedFilesAgain(code: number): Promise<number> {
  const first = readReport(RESULTS);
  const failed = first === null ? [] : failedFiles(first);
  if (first === null || failed.length === 0 || failed.length > MAX_FILES_AGAIN) return code;
  console.log(`\nonce more, alone: ${failed.map((file) => relative(process.cwd(), file)).join(', ')}\n`);
  rmSync(RERUN, { force: true });
  const again = await run(jestCommand(RERUN, ['--runInBand', '--runTestsByPath', ...failed]));
  const second = readReport(RERUN);
  if (second === null || second.testResults.length < failed.length) return code;
  writeReport(RESULTS, withRerun(first, second));
  const stillFailed = failedFiles(second);
  for (const file of failed.filter((one) => !stillFailed.includes(one)))
    console.log(`FLAKY  ${relative(process.cwd(), file)} passed only when it ran alone`);
  return again;
}

/** What a whole run spends its time on; files run beside each other, so their sum is more than the run took. */
function slowest(): string {
  const report = readReport(RESULTS);
  if (report === null) return '';
  const sum = slowestFiles(report, report.testResults.length).reduce((whole, { seconds }) => whole + seconds, 0);
  const rows = slowestFiles(report, NAMED_SLOWEST).map(
    ({ name, seconds, tests }) =>
      `${seconds.toFixed(1).padStart(7)} s ${String(tests).padStart(5)} tests  ${relative(process.cwd(), name)}`,
  );
  return [
    `\nthe ${rows.length} slowest of ${report.testResults.length} files (${sum.toFixed(0)} s in all)`,
    ...rows,
    '',
  ].join('\n');
}

/** In the temp directory since the begin, by the part of their names that tells who makes them; those of others who test beside this are counted too. */
function leftFolders(): ReadonlyMap<string, number> {
  const left = readdirSync(tmpdir()).filter((name) => {
    const made = statSync(join(tmpdir(), name), { throwIfNoEntry: false });
    return name.startsWith('sluice-') && made !== undefined && made.birthtimeMs >= startedAt;
  });
  const kinds = left.map((name) => name.replace(/[^-]*$/, ''));
  return new Map([...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]));
}

/** A title that no test has skips them all. */
function hasRun(): boolean {
  const report = readReport(RESULTS);
  return report !== null && report.numPassedTests + report.numFailedTests > 0;
}

function summary(): string {
  const report = readReport(RESULTS);
  return report === null ? 'jest wrote no results' : countsOf(report);
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    const handOn = (signal: NodeJS.Signals) => child.kill(signal);
    for (const signal of END_SIGNALS) process.on(signal, handOn);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const each of END_SIGNALS) process.off(each, handOn);
      // What ended it stands in no report of its own.
      if (signal !== null) console.log(`${args.find((arg) => !arg.startsWith('-')) ?? 'it'} was ended by ${signal}`);
      resolve(code ?? 1);
    });
  });
}
