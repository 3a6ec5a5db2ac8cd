import { describe, expect, it } from '@jest/globals';
import { conformanceOf, type JestResults, renderConformance } from '../../../tools/conformance.js';

const IN_PROJECT = {
  root: '/project',
  known: new Set(['V-01', 'V-02', 'V-03', 'V-04', 'V-09', 'V-10', 'V-20', 'V-100']),
};

function results(
  titles: Record<string, string>,
  file = '/project/test/conformance/vibestrate/stages.test.ts',
): JestResults {
  return {
    testResults: [
      { name: file, assertionResults: Object.entries(titles).map(([title, status]) => ({ title, status })) },
    ],
  };
}

describe('the conformance file', () => {
  it('lists the rows of passed tests only, and refuses a title without a row', () => {
    const { rows, problems } = conformanceOf(
      results({ 'V-10: a': 'passed', 'V-20: red': 'failed', 'no row': 'passed' }),
      IN_PROJECT,
    );

    expect(rows.map(({ row }) => row)).toEqual(['V-10']);
    expect(problems).toEqual([expect.stringContaining('"no row" names no row')]);
  });

  it('sorts V-09 before V-10 before V-100', () => {
    const { rows } = conformanceOf(results({ 'V-100: c': 'passed', 'V-10, V-09: a': 'passed' }), IN_PROJECT);

    expect(rows.map(({ row }) => row)).toEqual(['V-09', 'V-10', 'V-100']);
    expect(JSON.parse(renderConformance(rows))).toMatchObject({ rows: 3, tests: 2 });
  });

  it('refuses a test with more than three rows', () => {
    const { problems } = conformanceOf(results({ 'V-01, V-02, V-03, V-04: all': 'passed' }), IN_PROJECT);

    expect(problems).toEqual([expect.stringContaining('names 4 rows; a test shows at most 3')]);
  });

  it('refuses a row that no page of requirements has, also where its test passed', () => {
    const { problems } = conformanceOf(results({ 'V-10, V-11: a': 'passed' }), IN_PROJECT);

    expect(problems).toEqual([expect.stringContaining('names V-11, which no page of docs/requirements has')]);
  });

  it('counts nothing from the second try of a file, and names the file', () => {
    const twice = {
      ...results({ 'V-10: a': 'passed' }),
      takenTwice: ['/project/test/conformance/vibestrate/stages.test.ts'],
    };

    expect(conformanceOf(twice, IN_PROJECT)).toMatchObject({
      rows: [],
      flaky: ['test/conformance/vibestrate/stages.test.ts'],
    });
  });

  it('counts a row only where each of its parts has a test, and tells which has', () => {
    const known = new Set(['V-17', 'V-135']);
    const shown = (titles: readonly string[]) =>
      renderConformance(
        conformanceOf(results(Object.fromEntries(titles.map((title) => [title, 'passed']))), {
          root: '/project',
          known,
        }).rows,
      );
    const one = 'V-17: a write run that changes nothing ends no_changes';
    const other = 'V-17: a read-only run skips commit and diff check';
    const third = 'V-17: nothing is left of a planner that writes and commits';
    const fourth = 'V-17: read-only: the prompt says so';

    expect(JSON.parse(shown([one]))).toMatchObject({ rows: 0, tests: 1 });
    expect(JSON.parse(shown([one, other, third, fourth]))).toMatchObject({
      rows: 1,
      parts: expect.arrayContaining([{ row: 'V-17', part: 'a read-only run', shownBy: [other] }]),
    });
    const help = 'V-135: help lists every command that belongs to a run';
    expect(JSON.parse(shown([help, 'V-135: status --json of 400 kB is complete']))).toMatchObject({ rows: 0 });
  });

  it('minds test/conformance only', () => {
    expect(conformanceOf(results({ 'no row': 'passed' }, '/project/test/unit/a.test.ts'), IN_PROJECT)).toEqual({
      rows: [],
      flaky: [],
      problems: [],
    });
  });
});
