import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { gradeVersion, MIN_NODE } from '../../../client/cli/commands/doctor.js';

describe('the version of a program', () => {
  it.each([
    ['20.18.3', 'fail'],
    ['20.19.0', 'ok'],
    ['22.0.0', 'ok'],
    ['2.38.windows.1', 'fail'],
    ['', 'fail'],
  ])('%j is graded %s where 20.19 is the least', (found, grade) => {
    expect(gradeVersion({ check: 'node', found, least: [20, 19], mend: 'install it' }).grade).toBe(grade);
  });

  it('of Node is at least that which package.json asks for', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }; // Ours.

    expect(engines.node).toMatch(new RegExp(`^>=${MIN_NODE.join('\\.')} `));
  });
});
