/** The list of failpoints against the sources: a name that nothing fires would be a cell that never counts. */
import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, it } from '@jest/globals';
import { setGitFailpoint, tryGit } from '../../../activities/git/start/run-git.js';
import { FAILPOINTS, type FailpointName, failpointsOf, noFailpoint, SCENARIOS } from '../../../protocol/failpoints.js';

/** What the pattern finds in the sources, by its first group. */
function grepSources(pattern: RegExp): string[] {
  const sources = execFileSync('git', ['grep', '-hE', 'failpoint|atPlace|name:', '--', 'activities', 'worker'], {
    encoding: 'utf8',
  });
  return [...sources.matchAll(pattern)].map(([, found]) => found ?? '');
}

const literal = grepSources(/failpoint(?:\?\.)?\('([a-z.-]+)'\)/g);
// An activity with a place fires those of its own name.
const marks = grepSources(/failpoint\(`\$\{name\}\.([a-z-]+)`\)/g);
const placed = grepSources(/name: '(\w+)',(?: input,.*)?$/gm);
const fired = new Set([...literal, ...placed.flatMap((name) => marks.map((mark) => `${name}.${mark}`))]);

describe('the failpoints', () => {
  it('are named once, and each step is fired somewhere', () => {
    const steps = FAILPOINTS.filter((name) => !name.startsWith('git.'));

    expect(new Set(FAILPOINTS).size).toBe(FAILPOINTS.length);
    expect(steps.filter((name) => !fired.has(name))).toEqual([]);
  });
});

describe('the kill matrix', () => {
  it('has every failpoint in one scenario, but for what `sluice clean` and a rewind alone pass for certain', () => {
    const inCells = SCENARIOS.flatMap(failpointsOf);

    expect(new Set(inCells).size).toBe(inCells.length);
    expect(FAILPOINTS.filter((name) => !inCells.includes(name))).toEqual([
      'git.before-for-each-ref',
      'git.after-for-each-ref',
      'git.before-rev-list',
      'git.after-rev-list',
    ]);
  });
});

describe('a command of git', () => {
  const seen: FailpointName[] = [];
  afterEach(() => setGitFailpoint(noFailpoint));

  it.each([
    [['status', '--short']],
    [['-C', '.', '-c', 'core.pager=log', 'status']],
    [['-c', 'gc.auto=0', '--no-pager', 'status']],
  ])('fires before and after it: git %j', async (args) => {
    seen.length = 0;
    setGitFailpoint((name) => seen.push(name));

    await tryGit(args, { cwd: process.cwd() });

    expect(seen).toEqual(['git.before-status', 'git.after-status']);
  });
});
