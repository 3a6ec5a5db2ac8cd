/**
 * A person, or another program, that removes, moves, locks or edits the worktree of a run in mid-run. The engine makes its own things again;
 * nothing of the person's is deleted or overwritten. While an agent works nobody can tell them apart: then it counts as the agent's.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endOf, type HeldRun, holdRun, type Moment, openRoomyHost, PLAIN_END } from '../support/held-run.js';
import { livingTurns, type RunTraces } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';
import type { TestHost } from '../support/test-host.js';

const LIMIT_MS = 300_000;
const MINE = 'mine\n';

const movedTo = ({ repository }: HeldRun) => join(dirname(repository.path), 'moved');
const remove = ({ worktree }: HeldRun) => rmSync(worktree, { recursive: true });
const move = (held: HeldRun) => renameSync(held.worktree, movedTo(held));
const moveWithGit = (held: HeldRun) => held.repository.git('worktree', 'move', held.worktree, movedTo(held));
const edit = ({ worktree }: HeldRun) => {
  writeFileSync(join(worktree, 'a.txt'), MINE);
  writeFileSync(join(worktree, 'mine.txt'), MINE);
};

const RESTORED = {
  'removed between two turns': ['between two turns', remove],
  'removed with git in a validation': [
    'in a validation',
    ({ repository, worktree }) => repository.git('worktree', 'remove', '--force', worktree),
  ],
  'removed and pruned at a gate': [
    'at a gate',
    (held) => {
      remove(held);
      held.repository.git('worktree', 'prune', '--expire=now');
    },
  ],
  'moved at a gate': ['at a gate', move],
  'moved with git between two turns': ['between two turns', moveWithGit],
  'locked, and all others pruned, in a turn': [
    'in a turn',
    ({ repository, worktree }) => {
      repository.git('worktree', 'lock', '--reason', 'mine', worktree);
      repository.git('worktree', 'prune', '--expire=now');
    },
  ],
} as const satisfies Record<string, Case>;

const STOPPED = {
  'removed in a turn': ['in a turn', remove],
  'moved in a turn': ['in a turn', move],
  'moved with git in a turn': ['in a turn', moveWithGit],
} as const satisfies Record<string, Case>;

const EDITED = {
  'edited between two turns': ['between two turns', edit],
  'edited in a validation': ['in a validation', edit],
  'edited at a gate': ['at a gate', edit],
} as const satisfies Record<string, Case>;

const REST = {
  'edited in a turn': ['in a turn', edit],
  'set up and removed at a gate': ['at a gate', remove],
} as const satisfies Record<string, Case>;

const CASES = { ...RESTORED, ...STOPPED, ...EDITED, ...REST };

type Case = readonly [Moment, (held: HeldRun) => unknown];
type Name = keyof typeof CASES;

interface Ended {
  readonly held: HeldRun;
  readonly traces: Omit<RunTraces, 'living'>;
}

/** Ignored by git, made by a command and copied: both go with the folder. */
const SET_UP = 'worktree:\n  setup: ["echo made > made.ignored"]\n  copy: [copied.ignored]\n';

describe('the worktree of a run', () => {
  let host: TestHost;
  let runs: ReadonlyMap<Name, Promise<Ended>>;
  const ended = async (name: Name): Promise<Ended> => {
    const run = await runs.get(name);
    if (run === undefined) throw new Error(name);
    return run;
  };

  beforeAll(async () => {
    host = await openRoomyHost();
    runs = sideBySide(Object.keys(CASES) as Name[], 5, (name) => disturbed(host, name));
  }, LIMIT_MS);
  afterAll(async () => {
    await Promise.allSettled(runs.values());
    await host.close();
  }, LIMIT_MS);

  it.each(Object.keys(RESTORED) as (keyof typeof RESTORED)[])(
    '%s is made again, and the run ends as it would have',
    async (name) => {
      const { held, traces } = await ended(name);

      expect(traces).toMatchObject(PLAIN_END);
      expect(traces.journal).toEqual(expect.arrayContaining(['run.created', 'run.completed']));
      expect(held.inWorktree('status', '--porcelain')).toBe('');
      expect(held.inWorktree('symbolic-ref', '--short', 'HEAD').trim()).toBe(held.branch);
    },
    LIMIT_MS,
  );

  it(
    'that was moved stays where it was moved to, whole; moved with git it keeps its registration',
    async () => {
      const [moved, withGit] = await Promise.all([ended('moved at a gate'), ended('moved with git between two turns')]);

      expect(readFileSync(join(movedTo(moved.held), 'a.txt'), 'utf8')).toBe('one\nchanged\n');
      expect(moved.held.repository.git('-C', movedTo(withGit.held), 'status', '--porcelain')).toBe('');
      const listed = withGit.held.repository.git('worktree', 'list', '--porcelain');
      expect(listed).toContain(`worktree ${withGit.held.worktree}\n`);
      expect(listed).toContain(`worktree ${movedTo(withGit.held)}\n`);
    },
    LIMIT_MS,
  );

  it(
    'that a person locked stays locked',
    async () => {
      const { held } = await ended('locked, and all others pruned, in a turn');

      expect(held.repository.git('worktree', 'list', '--porcelain')).toContain('locked mine\n');
    },
    LIMIT_MS,
  );

  it.each(Object.keys(STOPPED) as (keyof typeof STOPPED)[])(
    '%s ends the run blocked: the branch stays, the folder that was moved is whole, the worktree is made again',
    async (name) => {
      const { held, traces } = await ended(name);

      expect(traces).toMatchObject({
        outcome: 'blocked',
        commits: 0,
        error: expect.stringContaining('the folder of the worktree is gone'),
      });
      expect(traces.agents.filter((line) => line.endsWith('START'))).toEqual([
        'planning START',
        'architecting START',
        'executing START',
      ]);
      expect(held.inWorktree('status', '--porcelain')).toBe('');
      if (name !== 'removed in a turn') expect(existsSync(join(movedTo(held), 'a.txt'))).toBe(true);
    },
    LIMIT_MS,
  );

  it.each(Object.keys(EDITED) as (keyof typeof EDITED)[])(
    '%s by hand is put back; what the person wrote is moved beside it, and told',
    async (name) => {
      const { held, traces } = await ended(name);

      expect(traces).toMatchObject(PLAIN_END);
      expect(traces.change).not.toContain('mine');
      const beside = readdirSync(dirname(held.worktree)).filter((entry) =>
        entry.startsWith(`.${basename(held.worktree)}.found-`),
      );
      expect(beside).toHaveLength(1);
      const found = join(dirname(held.worktree), beside[0] ?? '');
      expect(['a.txt', 'mine.txt'].map((file) => readFileSync(join(found, file), 'utf8'))).toEqual([MINE, MINE]);
      const told = held.run.events().filter(({ type }) => type === 'repository.changed');
      expect(told.map(({ message }) => message)).toEqual([
        `somebody changed a.txt, mine.txt in the worktree before the reviewing turn; it was moved to ${beside[0]} beside the worktree`,
      ]);
    },
    LIMIT_MS,
  );

  it(
    'that a person edits while the agent works holds one change, and all of it is in the commit',
    async () => {
      const { traces } = await ended('edited in a turn');

      expect(traces).toMatchObject(PLAIN_END);
      expect(traces.change).toContain('+++ b/mine.txt');
      expect(traces.change).toContain('+changed');
    },
    LIMIT_MS,
  );

  it(
    'that is made again is set up again before an agent starts in it',
    async () => {
      const { traces } = await ended('set up and removed at a gate');

      expect(traces).toMatchObject(PLAIN_END);
    },
    LIMIT_MS,
  );

  it(
    'has nothing alive in it when all of these runs are over',
    async () => {
      await Promise.all(runs.values());

      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );
});

async function disturbed(host: TestHost, name: Name): Promise<Ended> {
  const [moment, fault] = CASES[name];
  const setUp = name === 'set up and removed at a gate';
  // Fails the turn where one is missing.
  const reviewing = {
    text: 'Looks right.',
    decision: 'APPROVED',
    run: 'grep -q made made.ignored && grep -q copied copied.ignored',
  };
  const held = await holdRun(host, moment, {
    attended: false,
    ...(setUp
      ? { config: SET_UP, stages: { reviewing }, files: { '.gitignore': '*.ignored\n', 'copied.ignored': 'copied\n' } }
      : {}),
  });
  fault(held);
  return { held, traces: await endOf(host, held) };
}
