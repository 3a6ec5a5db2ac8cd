/** A person chooses the ids of runs, and a folder of a home is named after one: no two runs have a folder in common, and none lies in another's. */
import { sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ownerMarkOf } from '../../../activities/git/worktree/owner-mark.js';
import { homePaths } from '../../../config/home/home.js';
import { branchOf, headRefOf } from '../../../protocol/names.js';
import { isRunId } from '../../../protocol/run/run-id.js';

const home = homePaths('/h');

/** What the engine itself puts behind the name of a run, or beside it. */
const OWN_WORDS = [
  'validation',
  'owner',
  'git',
  'found-1',
  'submodule-0',
  'config',
  'state',
  'turns',
  'lock',
  'head',
  'x',
  'x-1',
  'X',
];

const part = fc.oneof(fc.constantFrom(...OWN_WORDS), fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/));

/** Any separator: what is no run id is left out afterwards. */
const runId = fc
  .tuple(part, fc.array(fc.tuple(fc.constantFrom('.', '-', '_', '+', '--', '..', '/', ' '), part), { maxLength: 3 }))
  .map(([first, more]) => first + more.flat().join(''))
  .filter(isRunId);

interface Run {
  readonly repoKey: string;
  readonly runId: string;
}

const run: fc.Arbitrary<Run> = fc.record({ repoKey: fc.constantFrom('a', 'a.validation', 'a--b'), runId });

function pathsOf({ repoKey, runId: id }: Run): readonly string[] {
  const worktree = home.worktree(repoKey, id);
  const checkout = home.validationWorktree(repoKey, id);
  return [worktree, checkout, ownerMarkOf(worktree), ownerMarkOf(checkout), home.stateDir(repoKey, id)];
}

/** One is the other, or lies in it. */
function meet(one: string, other: string): boolean {
  return one === other || one.startsWith(other + sep) || other.startsWith(one + sep);
}

describe('the folders of a home', () => {
  it('never meet, whatever the ids of two runs are', () => {
    fc.assert(
      fc.property(run, run, (one, other) => {
        fc.pre(one.repoKey !== other.repoKey || one.runId !== other.runId);
        const met = pathsOf(one).flatMap((path) => pathsOf(other).filter((theirs) => meet(path, theirs)));
        expect(met).toEqual([]);
      }),
      {
        examples: [
          [
            { repoKey: 'a', runId: 'x' },
            { repoKey: 'a', runId: 'x.validation' },
          ],
        ],
        numRuns: 300,
      },
    );
  });

  it('of one run are apart from each other', () => {
    fc.assert(
      fc.property(run, (one) => {
        const paths = pathsOf(one);
        for (const [at, path] of paths.entries())
          expect(paths.slice(at + 1).filter((other) => meet(path, other))).toEqual([]);
      }),
    );
  });
});

describe('the refs of two runs', () => {
  it('never meet: git keeps no ref below another', () => {
    fc.assert(
      fc.property(runId, runId, (one, other) => {
        fc.pre(one !== other);
        expect(meet(branchOf(one), branchOf(other)) || meet(headRefOf(one), headRefOf(other))).toBe(false);
      }),
    );
  });
});
