/**
 * A person, or another program, that deletes, renames or moves the branch of a run, commits on it by hand, or checks it out elsewhere, in mid-run.
 * What is the run's own comes back; any other head is a person's, and the run stops for it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openGate } from '../support/decide-gates.js';
import {
  endOf,
  type HeldRun,
  holdRun,
  type Moment,
  openRoomyHost,
  PLAIN_END,
  tracesAfter,
} from '../support/held-run.js';
import { openedOnce } from '../support/opened.js';
import { livingTurns, type RunTraces, startsOf } from '../support/run-traces.js';
import { sideBySide } from '../support/side-by-side.js';

const LIMIT_MS = 300_000;

const tip = ({ repository, branch }: HeldRun) => repository.git('rev-parse', `refs/heads/${branch}`).trim();
const setTip = ({ repository, branch }: HeldRun, to: string) =>
  repository.git('update-ref', `refs/heads/${branch}`, to);

/** The same files in a commit of a person's. */
function forceElsewhere(held: HeldRun): string {
  const theirs = held.repository.git('commit-tree', `${held.branch}^{tree}`, '-p', 'main', '-m', 'theirs').trim();
  setTip(held, theirs);
  return theirs;
}

function commitByHand(held: HeldRun): string {
  writeFileSync(join(held.worktree, 'mine.txt'), 'mine\n');
  held.inWorktree('add', '--all');
  held.inWorktree('commit', '--quiet', '-m', 'by hand');
  return held.inWorktree('rev-parse', 'HEAD').trim();
}

const elsewhere = ({ repository }: HeldRun) => join(dirname(repository.path), 'elsewhere');
const checkOutElsewhere = (held: HeldRun) =>
  held.repository.git('worktree', 'add', '--quiet', '--force', elsewhere(held), held.branch);
const checkOutInMain = ({ repository, branch }: HeldRun) =>
  repository.git('checkout', '--quiet', '--ignore-other-worktrees', branch);

/** Answers the commit that a person put on the branch, if any. */
type Fault = (held: HeldRun) => string | void;

const GOES_ON = {
  'is deleted in a turn': [
    'in a turn',
    ({ repository, branch }) => void repository.git('update-ref', '-d', `refs/heads/${branch}`),
  ],
  'is deleted at a gate': [
    'at a gate',
    ({ repository, branch }) => void repository.git('update-ref', '-d', `refs/heads/${branch}`),
  ],
  'is renamed in a turn': [
    'in a turn',
    ({ repository, branch }) => void repository.git('branch', '-m', branch, 'renamed'),
  ],
  'is renamed between two turns': [
    'between two turns',
    ({ repository, branch }) => void repository.git('branch', '-m', branch, 'renamed'),
  ],
  'is moved back to an own commit at a gate': ['at a gate', (held) => void setTip(held, held.baseSha)],
  'is checked out elsewhere in a validation': ['in a validation', (held) => void checkOutElsewhere(held)],
  'is checked out in the main checkout at a gate': ['at a gate', (held) => void checkOutInMain(held)],
} as const satisfies Record<string, readonly [Moment, Fault]>;

const STOPS = {
  'is forced to another commit in a turn': ['in a turn', forceElsewhere],
  'is forced to another commit between two turns': ['between two turns', forceElsewhere],
  'is forced to another commit in a validation': ['in a validation', forceElsewhere],
  'is forced to another commit at a gate': ['at a gate', forceElsewhere],
  'gets a commit by hand between two turns': ['between two turns', commitByHand],
  'gets a commit by hand in a validation': ['in a validation', commitByHand],
  'gets a commit by hand at a gate': ['at a gate', commitByHand],
} as const satisfies Record<string, readonly [Moment, Fault]>;

const STAYS = {
  'is checked out elsewhere in a turn': ['in a turn', (held) => void checkOutElsewhere(held)],
  'is checked out in the main checkout in a turn': ['in a turn', (held) => void checkOutInMain(held)],
} as const satisfies Record<string, readonly [Moment, Fault]>;

const FOLDED = { 'gets a commit by hand in a turn': ['in a turn', commitByHand] } as const satisfies Record<
  string,
  readonly [Moment, Fault]
>;

const CASES = { ...GOES_ON, ...STOPS, ...STAYS, ...FOLDED };

type Name = keyof typeof CASES;

interface Ended {
  readonly held: HeldRun;
  readonly theirs: string | undefined;
  readonly traces: Omit<RunTraces, 'living'>;
}

const host = openedOnce(openRoomyHost);

describe('the branch of a run that nobody attends', () => {
  let runs: ReadonlyMap<Name, Promise<Ended>>;
  const ended = async (name: Name): Promise<Ended> => {
    const run = await runs.get(name);
    if (run === undefined) throw new Error(name);
    return run;
  };

  beforeAll(() => {
    runs = sideBySide(Object.keys(CASES) as Name[], 5, async (name) => {
      const [moment, fault] = CASES[name];
      const held = await holdRun(host, moment, { attended: false });
      const theirs = fault(held) ?? undefined;
      return { held, theirs, traces: await endOf(host, held) };
    });
  });
  afterAll(() => Promise.allSettled(runs.values()), LIMIT_MS);

  it.each(Object.keys(GOES_ON) as (keyof typeof GOES_ON)[])(
    '%s: it stands where the run left it, and the run ends as it would have',
    async (name) => {
      const { held, traces } = await ended(name);

      expect(traces).toMatchObject(PLAIN_END);
      expect(traces.journal).toEqual(expect.arrayContaining(['run.created', 'run.completed']));
      const { headSha } = await held.run.view();
      expect([tip(held), held.repository.git('rev-parse', `refs/sluice/${held.run.runId}/head`).trim()]).toEqual([
        headSha,
        headSha,
      ]);
    },
    LIMIT_MS,
  );

  it(
    'is not taken from where a person renamed it to, moved it to or checked it out',
    async () => {
      const [renamed, back, linked, main] = await Promise.all([
        ended('is renamed between two turns'),
        ended('is moved back to an own commit at a gate'),
        ended('is checked out elsewhere in a validation'),
        ended('is checked out in the main checkout at a gate'),
      ]);

      expect(renamed.held.repository.git('rev-parse', 'renamed').trim()).toBe(renamed.held.head);
      expect(back.held.repository.git('rev-parse', `refs/sluice/${back.held.run.runId}/reset-1`).trim()).toBe(
        back.held.baseSha,
      );
      for (const [folder, { held }] of [
        [elsewhere(linked.held), linked],
        [main.held.repository.path, main],
      ] as const) {
        expect(held.repository.git('-C', folder, 'status', '--porcelain')).toBe('');
        expect(held.repository.git('-C', folder, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(held.branch);
      }
    },
    LIMIT_MS,
  );

  it.each(Object.keys(STOPS) as (keyof typeof STOPS)[])(
    '%s: the run ends blocked, and the commit stays on it',
    async (name) => {
      const { held, theirs, traces } = await ended(name);

      expect(await held.run.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
      expect(traces.error).toContain(`${theirs?.slice(0, 12)}`);
      expect(tip(held)).toBe(theirs);
      expect(traces.agents).toEqual(PLAIN_END.agents.slice(0, 6));
      if (name.startsWith('gets')) expect(readFileSync(join(held.worktree, 'mine.txt'), 'utf8')).toBe('mine\n');
    },
    LIMIT_MS,
  );

  it.each(Object.keys(STAYS) as (keyof typeof STAYS)[])(
    '%s: it is not moved under the person, and the run ends blocked',
    async (name) => {
      const { held, traces } = await ended(name);
      const folder = name === 'is checked out elsewhere in a turn' ? elsewhere(held) : held.repository.path;

      expect(await held.run.result()).toMatchObject({ outcome: 'blocked', blockedReason: 'repository_changed' });
      expect(traces).toMatchObject({
        commits: 0,
        error: `${held.branch} is checked out in ${folder}, and it is not moved under anybody`,
      });
      expect(held.repository.git('-C', folder, 'status', '--porcelain')).toBe('');
    },
    LIMIT_MS,
  );

  it(
    'gets a commit by hand while the agent works: one commit holds both, with the message of the person',
    async () => {
      const { held, traces } = await ended('gets a commit by hand in a turn');

      expect(traces).toMatchObject(PLAIN_END);
      expect(traces.change).toContain('+++ b/mine.txt');
      expect(held.repository.git('log', '-1', '--format=%B', held.branch)).toContain('by hand');
    },
    LIMIT_MS,
  );

  it(
    'has nothing alive behind it when all of these runs are over',
    async () => {
      await Promise.all(runs.values());

      expect(livingTurns(host.home)).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('the branch of an attended run', () => {
  const approve = async ({ run }: HeldRun) => {
    const { id, reason, source } = await openGate(run);
    expect({ source, reason }).toEqual({
      source: 'policy',
      reason: expect.stringContaining('the repository changed under the run'),
    });
    return () => run.handle.executeUpdate('approve', { args: [{ gate: id }] });
  };

  it.each([
    ['gets a commit by hand', commitByHand, 2],
    ['is forced to another commit', forceElsewhere, 1],
  ] as const)(
    '%s between two turns: a gate opens, and approved the run goes on from there, with checks of that commit',
    async (_, fault, commits) => {
      const held = await holdRun(host, 'between two turns', { attended: true });
      const theirs = fault(held);
      await held.letGo();
      const goOn = await approve(held);
      await goOn();

      expect(await tracesAfter(host, held)).toMatchObject({ ...PLAIN_END, commits });
      expect(tip(held)).toBe(theirs);
      const checked = held.run
        .events()
        .flatMap(({ type, data }) => (type === 'validation.started' ? [data['commit']] : []));
      expect(checked).toEqual([held.head, theirs]);
    },
    LIMIT_MS,
  );

  it(
    'is checked out in the main checkout while the agent works: approved after the person left, the turn is taken again',
    async () => {
      const held = await holdRun(host, 'in a turn', { attended: true });
      checkOutInMain(held);
      await held.letGo();
      const goOn = await approve(held);
      expect(tip(held)).toBe(held.baseSha);
      held.repository.git('checkout', '--quiet', 'main');
      await goOn();

      expect(await tracesAfter(host, held)).toMatchObject({ outcome: 'merge_ready', commits: 1 });
      expect(startsOf(held.repository, 'executing')).toBe(2);
      expect(held.repository.git('show', `${held.branch}:a.txt`)).toBe('one\nchanged\n');
    },
    LIMIT_MS,
  );
});
