/** Holds the list of mutants to the sources and tests that it names, and docs/mutants.json to the list. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readResults, renderResults } from '../../../tools/mutants-page.js';
import { AREAS, type Mutant, mutated, resultOf } from '../../mutants/mutant.js';
import { MUTANTS } from '../../mutants/mutants.js';
import { testExists } from '../../support/shown-by.js';

const ENOUGH = 45;

const aMutant: Mutant = {
  name: 'a step is skipped',
  area: 'git',
  file: 'a.ts',
  find: 'step();',
  replace: '',
  test: { file: 'a.test.ts', title: 'takes the step' },
};

describe('a mutant', () => {
  it('is the source with one line changed', () => {
    expect(mutated('one();\nstep();\n', aMutant)).toBe('one();\n\n');
  });

  it.each(['one();\n', 'step();\nstep();\n'])('is none where its line does not stand once: %j', (source) => {
    expect(() => mutated(source, aMutant)).toThrow('needs it once');
  });
});

describe('the list of mutants', () => {
  it('has enough of them in every area, each with a name of its own', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(ENOUGH);
    expect(AREAS.filter((area) => !MUTANTS.some((mutant) => mutant.area === area))).toEqual([]);
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  });

  it.each(MUTANTS)('finds its one line, and a test that exists: $name', (mutant) => {
    const { file, find, replace, test } = mutant;

    expect(mutated(readFileSync(file, 'utf8'), mutant)).not.toBe(readFileSync(file, 'utf8'));
    expect([find, replace].filter((text) => text.includes('\n'))).toEqual([]);
    expect(testExists(test)).toBe(true);
  });
});

describe('docs/mutants.json', () => {
  it('says of every mutant that it was killed, and knows no other', () => {
    const wanted = MUTANTS.map((mutant) => resultOf(mutant, true));

    expect(renderResults(readResults())).toBe(renderResults(wanted));
  });
});
