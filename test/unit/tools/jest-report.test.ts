import { describe, expect, it } from '@jest/globals';
import { countsOf, failedFiles, type JestReport, slowestFiles, withRerun } from '../../../tools/jest-report.js';

const passed = { status: 'passed' };
const failed = { status: 'failed' };
const skipped = { status: 'pending' };

function report(files: Readonly<Record<string, readonly { readonly status: string }[]>>): JestReport {
  const testResults = Object.entries(files).map(([name, assertionResults]) => ({
    name,
    startTime: 1000,
    endTime: 1000 + 500 * assertionResults.length,
    assertionResults,
    status: assertionResults.length === 0 || assertionResults.includes(failed) ? 'failed' : 'passed',
  }));
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  return {
    testResults,
    numPassedTests: all.filter((one) => one === passed).length,
    numFailedTests: all.filter((one) => one === failed).length,
    numFailedTestSuites: testResults.filter(({ status }) => status === 'failed').length,
    numPendingTests: all.filter((one) => one === skipped).length,
  };
}

describe('the report of a run whose failed files ran once more', () => {
  const first = report({ '/a': [passed, passed], '/b': [passed, failed], '/c': [] });

  it('counts the later result of each file, once', () => {
    const second = report({ '/b': [passed, passed], '/c': [passed] });
    expect(withRerun(first, second)).toEqual({
      ...report({ '/a': [passed, passed], '/b': [passed, passed], '/c': [passed] }),
      takenTwice: ['/b', '/c'],
    });
  });

  it('keeps what failed again, and a file that could not be loaded', () => {
    const both = withRerun(first, report({ '/b': [passed, failed], '/c': [] }));
    expect(both).toEqual({ ...first, takenTwice: ['/b', '/c'] });
    expect(failedFiles(both)).toEqual(['/b', '/c']);
  });
});

describe('the slowest files', () => {
  it('come first, with their tests, and no more than were asked for', () => {
    const files = slowestFiles(report({ '/a': [passed], '/b': [passed, failed, passed], '/c': [passed, passed] }), 2);

    expect(files).toEqual([
      { name: '/b', seconds: 1.5, tests: 3 },
      { name: '/c', seconds: 1, tests: 2 },
    ]);
  });
});

describe('the counts of a run', () => {
  it('name what was skipped and what passed only alone, so that neither looks like a pass', () => {
    const first = report({ '/a': [passed, skipped], '/b': [failed] });

    expect(countsOf(first)).toBe('1 passed, 1 failed, 1 skipped');
    expect(countsOf(withRerun(first, report({ '/b': [passed] })))).toBe(
      '2 passed, 0 failed, 1 skipped, 1 file taken twice',
    );
  });

  it('have a file that could not be loaded among what failed', () => {
    expect(countsOf(report({ '/a': [passed], '/b': [] }))).toBe('1 passed, 1 failed');
  });
});
