import { describe, expect, it } from '@jest/globals';
import { conformanceOf, type JestResults, renderConformance } from '../../../tools/conformance.js';

function results(titles: Record<string, string>, file = '/project/test/conformance/vibestrate/stages.test.ts'): JestResults {
  return { testResults: [{ name: file, assertionResults: Object.entries(titles).map(([title, status]) => ({ title, status })) }] };
}

describe('the conformance file', () => {
  it('lists the rows of passed tests only, and refuses a title without a row', () => {
    const { rows, problems } = conformanceOf(results({ 'V-10: a': 'passed', 'V-20: red': 'failed', 'no row': 'passed' }), '/project');

    expect(rows.map(({ row }) => row)).toEqual(['V-10']);
    expect(problems).toEqual([expect.stringContaining('"no row" names no row')]);
  });

  it('sorts V-09 before V-10 before V-101', () => {
    const { rows } = conformanceOf(results({ 'V-101: c': 'passed', 'V-10, V-09: a': 'passed' }), '/project');

    expect(rows.map(({ row }) => row)).toEqual(['V-09', 'V-10', 'V-101']);
    expect(JSON.parse(renderConformance(rows))).toMatchObject({ rows: 3, tests: 2 });
  });

  it('refuses a test with more than three rows', () => {
    const { problems } = conformanceOf(results({ 'V-01, V-02, V-03, V-04: all': 'passed' }), '/project');

    expect(problems).toEqual([expect.stringContaining('names 4 rows; a test shows at most 3')]);
  });

  it('minds test/conformance only', () => {
    expect(conformanceOf(results({ 'no row': 'passed' }, '/project/test/unit/a.test.ts'), '/project')).toEqual({ rows: [], problems: [] });
  });
});
