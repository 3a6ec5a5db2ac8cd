/** `npm test`: every jest test, then docs/conformance.json against its results. With arguments: just those tests. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';

const RESULTS = '.cache/jest-results.json';

interface Totals {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
}

const selection = process.argv.slice(2);
mkdirSync('.cache', { recursive: true });
rmSync(RESULTS, { force: true });
const jest = await run(['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...jestArguments()]);
const conformance = selection.length === 0 && jest === 0 ? await run(['--import', 'tsx', 'tools/write-conformance.ts', '--check']) : 0;
console.log(summary());
process.exitCode = jest === 0 ? conformance : jest;

function jestArguments(): string[] {
  return ['--json', `--outputFile=${RESULTS}`, '--passWithNoTests', ...selection];
}

/** A suite that could not be loaded has no tests to count, and is a failure all the same. */
function summary(): string {
  try {
    // Jest wrote it; only its totals are read.
    const totals = JSON.parse(readFileSync(RESULTS, 'utf8')) as Totals;
    const failed = Math.max(totals.numFailedTests, totals.numFailedTestSuites);
    return `${totals.numPassedTests} passed, ${failed} failed`;
  } catch {
    return 'jest wrote no results';
  }
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
