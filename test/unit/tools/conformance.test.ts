import { describe, expect, it } from '@jest/globals';
import { conformanceOf, type JestResults, renderConformance } from '../../../tools/conformance.js';

const IN_PROJECT = {
  root: '/project',
  known: new Set(['V-01', 'V-02', 'V-03', 'V-04', 'V-09', 'V-10', 'V-20', 'V-101']),
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

  it('sorts V-09 before V-10 before V-101', () => {
    const { rows } = conformanceOf(results({ 'V-101: c': 'passed', 'V-10, V-09: a': 'passed' }), IN_PROJECT);

    expect(rows.map(({ row }) => row)).toEqual(['V-09', 'V-10', 'V-101']);
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

  it('minds test/conformance only', () => {
    expect(conformanceOf(results({ 'no row': 'passed' }, '/project/test/unit/a.test.ts'), IN_PROJECT)).toEqual({
      rows: [],
      problems: [],
    });
  });
});
