/** What tasks say of others: which must be done before, and which files they touch. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { mayOverlap, whyNoDependencies, whyNoFiles } from '../../../protocol/actors/task-links.js';

const NAMES = ['a', 'b', 'ab', 'src'] as const;
const PATHS = NAMES.flatMap((one) => [
  one,
  ...NAMES.flatMap((two) => [`${one}/${two}`, ...NAMES.map((three) => `${one}/${two}/${three}`)]),
]);
const PART = fc.constantFrom(...NAMES, '*', '**', 'a*', '*b', '?', '[ab]', '{a,src}', '!(a)', '@(a|b)');
const GLOB = fc.array(PART, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

/** As git and people read them: a path is what lies below it too. */
function matchesOf(glob: string): readonly string[] {
  const known = MATCHES.get(glob);
  if (known !== undefined) return known;
  const isMatch = picomatch([glob, `${glob}/**`], { dot: true });
  const matches = PATHS.filter((path) => isMatch(path));
  MATCHES.set(glob, matches);
  return matches;
}

const MATCHES = new Map<string, readonly string[]>();

describe('the files of two tasks', () => {
  it('overlap wherever one path is named by both', () => {
    fc.assert(
      fc.property(GLOB, GLOB, (one, other) => {
        const both = matchesOf(one).filter((path) => matchesOf(other).includes(path));
        if (both.length > 0) expect([one, other, mayOverlap(one, other)]).toEqual([one, other, true]);
        expect(mayOverlap(one, other)).toBe(mayOverlap(other, one));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['src/a.ts', 'src/a.tsx', false],
    ['src/a.ts', './src/a.ts', true],
    ['src', 'src/a.ts', true],
    ['src/', 'srcs/a.ts', false],
    ['docs/**', 'src/**', false],
    ['src/*.ts', 'src/b/c.ts', true],
    ['src/b*', 'src/c.ts', false],
    ['.', 'anything/at/all', true],
    ['**', 'src/a.ts', true],
  ] as const)('%s and %s: %s', (one, other, expected) => {
    expect(mayOverlap(one, other)).toBe(expected);
  });
});

describe('what a task says of others', () => {
  it.each([
    [['3', '#1'], null],
    [['#2'], 'names "#2", which does not come before it: put that task first'],
    [['#3'], 'names "#3", which does not come before it: put that task first'],
    [['../x'], 'names "../x", which is no number of a task and no place like "#1"'],
    [['0'], 'names "0", which is no number of a task and no place like "#1"'],
    ['3', 'must be a list of at most 20 ids of tasks, or of places in this list like "#1"'],
    [Array(21).fill('3'), 'must be a list of at most 20 ids of tasks, or of places in this list like "#1"'],
  ])('as dependencies %j: %s', (value, expected) => {
    expect(whyNoDependencies(value, 2)).toBe(expected);
  });

  it.each([
    [['src/**', 'a b.ts'], null],
    [['../x'], 'names "../x": files are named from the top of the repository, without "..", "\\" or a leading "/"'],
    [['/etc'], 'names "/etc": files are named from the top of the repository, without "..", "\\" or a leading "/"'],
    [['a\\b'], 'names "a\\\\b": files are named from the top of the repository, without "..", "\\" or a leading "/"'],
    [[' '], 'must be a list of at most 20 paths or globs, each of at most 200 characters'],
    [Array(1_000).fill('a'), 'must be a list of at most 20 paths or globs, each of at most 200 characters'],
    [['a'.repeat(201)], 'must be a list of at most 20 paths or globs, each of at most 200 characters'],
  ])('as files %j: %s', (value, expected) => {
    expect(whyNoFiles(value)).toBe(expected);
  });
});
