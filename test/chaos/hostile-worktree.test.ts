/**
 * Agents that turn on their own worktree: they remove it, put a link to the person's checkout in its place, delete objects, or leave what git
 * cannot stage. Each run must come to its end by itself, say why, and leave the person's repository whole.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunResult } from '../../protocol/messages/messages.js';
import { sideBySide } from '../support/side-by-side.js';
import { openTestHost } from '../support/test-host.js';
import { fixtureWith, type TestRepository } from '../support/test-repository.js';

const LIMIT_MS = 300_000;

/** `$REPO`: the person's checkout. The line that one of them adds there is the agent's own, and stays. */
const HARMS = {
  'links it to the checkout': 'W=$PWD; cd /; mv "$W" "$W.aside"; ln -s "$REPO" "$W"; echo x >> "$REPO/a.txt"',
  'puts a clone in its place':
    'W=$PWD; cd /; rm -rf "$W"; git clone -q "$REPO" "$W"; echo precious > "$W/untracked.txt"',
  'removes it': 'rm -rf "$PWD"',
  'empties it': 'rm -rf "$PWD"; mkdir "$PWD"',
  'makes a nested repository': 'git init -q sub; echo x > sub/file.txt',
  'deletes a base object': 'rm -f "$REPO/.git/objects/$(git rev-parse HEAD:a.txt | sed "s#^..#&/#")"',
} as const;

type Harm = keyof typeof HARMS;

const NAMES = Object.keys(HARMS).filter((name): name is Harm => name in HARMS);

interface Left {
  readonly result: RunResult;
  readonly branchMoved: boolean;
  /** Of the person: before and after. */
  readonly checkouts: readonly [Checkout, Checkout];
  readonly worktree: { readonly folder: boolean; readonly names: readonly string[] };
  /** What was moved out of the way. */
  readonly aside: readonly (readonly string[])[];
  readonly violations: readonly unknown[];
}

/** HEAD, index, refs that are not the run's, and each file outside of .git and .sluice/runs. */
interface Checkout {
  readonly git: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

describe('an agent that turns on its worktree', () => {
  let runs: ReadonlyMap<Harm, Promise<Left>>;

  beforeAll(() => {
    runs = sideBySide(NAMES, 3, runWith);
  });
  // Also where only some of the tests were asked for: no run may outlive the file.
  afterAll(() => Promise.allSettled(runs.values()), LIMIT_MS * 2);

  it.each(NAMES)(
    'and %s: the run ends blocked, the repository is whole, the branch stays at its base',
    async (name) => {
      const left = await runs.get(name);

      expect(left?.result).toMatchObject({
        outcome: 'blocked',
        blockedReason: name === 'deletes a base object' ? 'repository_changed' : 'policy_violation',
      });
      expect(left).toMatchObject({ branchMoved: false, worktree: { folder: true } });
      expect(left?.worktree.names).toEqual(expect.arrayContaining(['.git', 'a.txt']));
      expect(left?.worktree.names).not.toContain('sub');
    },
    LIMIT_MS * 2,
  );

  it.each(NAMES)(
    'and %s: the person’s checkout, index and refs stay as they were, with what the agent itself wrote there',
    async (name) => {
      const [before, after] = (await runs.get(name))?.checkouts ?? [];

      expect(before?.files).toMatchObject({ 'a.txt': 'one\n' });
      expect(after).toEqual(
        name === 'links it to the checkout' ? { ...before, files: { ...before?.files, 'a.txt': 'one\nx\n' } } : before,
      );
    },
    LIMIT_MS * 2,
  );

  it.each([
    ['links it to the checkout', 'the folder of the worktree became a symlink'],
    ['puts a clone in its place', 'the .git file of the worktree is not its own'],
    ['removes it', 'the folder of the worktree is gone'],
    ['empties it', 'the .git file of the worktree is gone'],
    ['makes a nested repository', '"sub" is a nested repository'],
    ['deletes a base object', 'git cannot work with what the turn left: '],
  ] satisfies [Harm, string][])(
    'and %s: it is said in one sentence',
    async (name, why) => {
      const left = await runs.get(name);

      expect(left?.result.error).toContain(why);
      expect(left?.violations).toEqual(name === 'deletes a base object' ? [] : ['outside_path']);
    },
    LIMIT_MS * 2,
  );

  it(
    'has what it put in the place of the worktree moved aside, not deleted',
    async () => {
      const [linked, cloned] = await Promise.all([
        runs.get('links it to the checkout'),
        runs.get('puts a clone in its place'),
      ]);

      expect(linked?.aside).toHaveLength(1);
      expect(cloned?.aside).toEqual([expect.arrayContaining(['.git', 'untracked.txt'])]);
    },
    LIMIT_MS * 2,
  );
});

async function runWith(name: Harm): Promise<Left> {
  const host = await openTestHost();
  try {
    const run = `REPO=$(dirname "$(git rev-parse --path-format=absolute --git-common-dir)"); ${HARMS[name]}`;
    const executing = { append: { 'a.txt': 'changed\n' }, run, text: 'Done.' };
    const repository = await host.repository({ fixture: fixtureWith({ executing }) });
    await host.startWorker();
    const before = checkoutOf(repository);
    const started = await host.startRun(repository, { attended: false });
    const result = await withLimit(started.result(), name);
    const { worktree } = await started.view();
    if (worktree === null) throw new Error('the run has no worktree');
    const folder = lstatSync(worktree).isDirectory();
    const aside = readdirSync(dirname(worktree)).filter((entry) => entry.includes('.found-'));
    return {
      result,
      checkouts: [before, checkoutOf(repository)],
      branchMoved: repository.git('rev-parse', `sluice/${started.runId}`) !== repository.git('rev-parse', 'main'),
      worktree: { folder, names: folder ? readdirSync(worktree) : [] },
      aside: aside.map((entry) => readdirSync(join(dirname(worktree), entry))),
      violations: started.events().flatMap(({ type, data }) => (type === 'policy.violation' ? [data['rule']] : [])),
    };
  } finally {
    await host.close();
  }
}

function checkoutOf({ path, git }: TestRepository): Checkout {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^\.(git|sluice\/runs)(\/|$)/.test(name) && lstatSync(join(path, name)).isFile(),
  );
  const refs = git('for-each-ref').split('\n');
  return {
    git: [
      readFileSync(join(path, '.git/HEAD'), 'utf8'),
      readFileSync(join(path, '.git/index')).toString('base64'),
      ...refs.filter((ref) => !ref.includes('sluice/')),
    ],
    files: Object.fromEntries(names.map((name) => [name, readFileSync(join(path, name), 'utf8')])),
  };
}

/** A run that is retried for ever must fail its own tests, not hold up the others. */
async function withLimit<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the run of the agent that ${name} did not end`)), LIMIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
