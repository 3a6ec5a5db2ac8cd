/**
 * Holds docs/security.md to the tests that it names, and to the tries of `npm run attack`: an attack without a test, a row of what an agent can do without a try,
 * or a try without a row, is red.
 */
import { describe, expect, it } from '@jest/globals';
import { securityRows, TRIED_SECTIONS } from '../../../tools/security-page.js';
import { NOT_TRIED } from '../../attack/not-tried.js';
import { TRIES } from '../../attack/tries.js';
import { type Expected, rowOf, wordOf } from '../../attack/try.js';
import { claimsOf, testExists, testsNamedIn } from '../../support/shown-by.js';

const rows = claimsOf('docs/security.md');

const ids = securityRows();

const expectations = TRIES.flatMap(({ id, inside, outside }) =>
  [inside, outside].filter((one): one is Expected => one !== null).map((expected) => ({ id, expected })),
);

describe('docs/security.md', () => {
  it('names a test in every row', () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter((row) => testsNamedIn(row).length === 0)).toEqual([]);
  });

  it.each(rows.flatMap(testsNamedIn))('names a test that exists: $file, $title', (named) => {
    expect(testExists(named)).toBe(true);
  });

  it('gives every row an id of its own (npm run docs gives a new row the next one)', () => {
    expect(ids.filter((id) => id.startsWith('no id'))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has the row that each try names; of what succeeds, below what only a sandbox can stop or what is not covered', () => {
    expect(expectations.filter(({ expected }) => !ids.includes(rowOf(expected)))).toEqual([]);
    const succeeds = expectations.filter(({ expected }) => wordOf(expected) === 'documented');
    expect(succeeds.filter(({ expected }) => !/^[ON]\d/.test(rowOf(expected)))).toEqual([]);
  });

  it('has a try for each row of what an agent can do, or the reason why no agent can try it', () => {
    const tried = new Set(expectations.map(({ expected }) => rowOf(expected)));
    const ofAgents = ids.filter((id) => TRIED_SECTIONS.has(id.charAt(0)));

    expect(ofAgents.filter((id) => !tried.has(id) && NOT_TRIED[id] === undefined)).toEqual([]);
    expect(Object.keys(NOT_TRIED).filter((id) => tried.has(id) || !ofAgents.includes(id))).toEqual([]);
  });
});

describe('npm run attack', () => {
  it('has at least 120 tries, each of its own name', () => {
    expect(TRIES.length).toBeGreaterThanOrEqual(120);
    expect(new Set(TRIES.map(({ id }) => id)).size).toBe(TRIES.length);
  });
});
