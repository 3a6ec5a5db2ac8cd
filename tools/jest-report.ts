/** What jest's `--json` file says, as far as it is read here, and the report of a run some of whose files were run once more. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Of `npm test`, by jest. */
export const RESULTS = '.cache/jest-results.json';

interface FileReport {
  /** Absolute path. */
  readonly name: string;
  readonly status: string;
  /** Unit: ms since the epoch. */
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly status: string }[];
}

export interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly FileReport[];
  /** Files whose results are of their second try. Missing: there was none. */
  readonly takenTwice?: readonly string[];
}

/** Null: jest ended before it wrote one. Errors: those of reading, and SyntaxError of a torn file. */
export function readReport(path: string): JestReport | null {
  // Jest wrote it; only the fields of JestReport are read.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as JestReport) : null;
}

export function writeReport(path: string, report: JestReport): void {
  writeFileSync(path, JSON.stringify(report));
}

export function failedFiles(report: JestReport): string[] {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** The later result of a file counts. A file that could not be loaded has no tests, and counts as a failed suite. */
export function withRerun(first: JestReport, second: JestReport): JestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const testResults = first.testResults.map((file) => again.get(file.name) ?? file);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    ...first,
    testResults,
    takenTwice: [...again.keys()],
    numPassedTests: tests.filter(({ status }) => status === 'passed').length,
    numFailedTests: tests.filter(({ status }) => status === 'failed').length,
    numFailedTestSuites: testResults.filter(({ status }) => status === 'failed').length,
  };
}

/** In words; what is nought is named only of the first two. A suite that could not be loaded has no tests to count, and is a failure all the same. */
export function countsOf(report: JestReport): string {
  const failed = Math.max(report.numFailedTests, report.numFailedTestSuites);
  const flaky = report.takenTwice?.length ?? 0;
  return [
    `${report.numPassedTests} passed`,
    `${failed} failed`,
    ...(report.numPendingTests > 0 ? [`${report.numPendingTests} skipped`] : []),
    ...(flaky > 0 ? [`${flaky} ${flaky === 1 ? 'file' : 'files'} taken twice`] : []),
  ].join(', ');
}

/** The files that took longest, the slowest first. */
export function slowestFiles(
  report: JestReport,
  count: number,
): readonly { readonly name: string; readonly seconds: number; readonly tests: number }[] {
  return report.testResults
    .map(({ name, startTime, endTime, assertionResults }) => ({
      name,
      seconds: (endTime - startTime) / 1000,
      tests: assertionResults.length,
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count);
}
