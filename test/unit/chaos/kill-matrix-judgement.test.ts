/** The pure parts of the kill matrix: what it takes for a cell, and what it counts as lost or doubled. A matrix that cannot see a loss would prove nothing. */
import { describe, expect, it } from '@jest/globals';
import { type Cell, cellsOf, FAULTS, type Passage, pointsOf, tripsOf } from '../../chaos/matrix/cells.js';
import { stageNames } from '../../chaos/matrix/scenario.js';
import { summaryOf } from '../../chaos/matrix/summary.js';
import { judgeTrip, resultOf } from '../../chaos/matrix/trip-verdict.js';
import { type Counts, countsOf, isClean } from '../../chaos/matrix/verdict.js';
import type { RunTraces } from '../../support/run-traces.js';

const PLAIN: RunTraces = {
  outcome: 'merge_ready',
  error: null,
  agents: ['planning START', 'planning END', 'executing START', 'executing END'],
  commits: 1,
  change: '+changed\n',
  journal: ['run.created', 'turn.started', 'turn.completed', 'git.committed', 'run.completed'],
  told: 1,
  living: [],
};
const CLEAN: Counts = { turnsTwice: 0, agentsTwice: 0, overlaps: 0, orphans: 0, commits: 0, events: 0, ends: 0 };

const passage = (name: Passage['name'], where: string | null, role: Passage['role'] = 'worker'): Passage => ({
  role,
  name,
  where,
});

describe('what a fault cost', () => {
  it('is nothing where the traces are those of a run without it', () => {
    expect(countsOf({ ...PLAIN }, PLAIN)).toEqual(CLEAN);
    expect(isClean(CLEAN)).toBe(true);
  });

  it('is nothing where a notification was told later, or after the run had closed', () => {
    const [first = '', ...rest] = PLAIN.journal as string[];
    const early = { ...PLAIN, journal: [first, 'notification.sent', ...rest] };

    expect(countsOf({ ...PLAIN, journal: [first, ...rest, 'notification.sent'] }, early)).toEqual(CLEAN);
    expect(countsOf(PLAIN, early)).toEqual(CLEAN);
  });

  it.each<[string, Partial<RunTraces>, Partial<Counts>]>([
    [
      'an agent that was started twice, and ran to its end twice',
      { agents: [...PLAIN.agents, 'executing START', 'executing END'] },
      { agentsTwice: 1 },
    ],
    [
      'agents at work at once',
      { agents: ['planning START', 'executing START', 'planning END', 'executing END'] },
      { overlaps: 1 },
    ],
    [
      'a turn that was told twice',
      { journal: [...(PLAIN.journal as string[]).slice(0, 3), 'turn.completed', 'git.committed', 'run.completed'] },
      { turnsTwice: 1, events: 1 },
    ],
    ['a missing event', { journal: ['run.created', 'turn.started', 'turn.completed', 'run.completed'] }, { events: 1 }],
    [
      'events in another order',
      { journal: ['run.created', 'turn.completed', 'turn.started', 'git.committed', 'run.completed'] },
      { events: 1 },
    ],
    ['a torn journal', { journal: 'damaged' }, { events: 1 }],
    ['a notification that nobody got', { told: 0 }, { events: 1 }],
    ['a second commit', { commits: 2 }, { commits: 1 }],
    ['a missing commit', { commits: 0, change: '' }, { commits: 1, ends: 1 }],
    ['an edit that was made twice', { change: '+changed\n+changed\n' }, { ends: 1 }],
    ['another outcome', { outcome: 'failed', error: 'why' }, { ends: 1 }],
    ['a process that lives on', { living: [4711] }, { orphans: 1 }],
  ])('counts %s', (_what, change, expected) => {
    const counts = countsOf({ ...PLAIN, ...change }, PLAIN);

    expect(counts).toEqual({ ...CLEAN, ...expected });
    expect(isClean(counts)).toBe(false);
  });
});

describe('the points of a recorded run', () => {
  const passages = [
    passage('open.after-claim', 'openRun 1'),
    passage('git.before-status', 'runTurn 2'),
    passage('git.before-status', 'runTurn 2'),
    passage('guard.after-go', null, 'guard'),
    passage('git.before-status', 'runTurn 3'),
    passage('guard.after-go', null, 'guard'),
  ];

  it('are each name once a stage, and of the guard in the stage of the activity before', () => {
    const points = pointsOf('run', passages, stageNames()).map(({ name, where, nth, stage }) => ({
      name,
      where,
      nth,
      stage,
    }));

    expect(points).toEqual([
      { name: 'open.after-claim', where: 'openRun 1', nth: 1, stage: 'opening' },
      { name: 'git.before-status', where: 'runTurn 2', nth: 1, stage: 'planning' },
      { name: 'guard.after-go', where: null, nth: 1, stage: 'planning' },
      { name: 'git.before-status', where: 'runTurn 3', nth: 1, stage: 'architecting' },
      { name: 'guard.after-go', where: null, nth: 2, stage: 'architecting' },
    ]);
  });

  it('meet every fault in the course of a run; what starts or stops is met itself, or everything with it', () => {
    const run = cellsOf(pointsOf('run', passages, stageNames()));
    const start = cellsOf(pointsOf('guard-restart', [passage('guard.start-locked', null, 'guard')], stageNames()));

    expect(run).toHaveLength(5 * FAULTS.length);
    expect(start.map(({ fault }) => fault)).toEqual(['guard', 'all', 'stop']);
  });
});

describe('the runs of a matrix', () => {
  const STAGES = ['planning', 'architecting', 'executing', 'validating', 'reviewing'];
  const at = (stage: string, fault: Cell['fault'], where: string | null = `runTurn ${stage}`): Cell => ({
    fault,
    point: { course: 'run', name: 'turn.after-exit', role: 'worker', where, nth: 1, stage },
  });

  it('take together what lies two stages apart and has different faults, each cell once', () => {
    const cells = STAGES.flatMap((stage) => [
      at(stage, 'worker'),
      at(stage, 'guard'),
      { ...at(stage, 'stop', null), point: { ...at(stage, 'stop', null).point, role: 'guard' as const } },
    ]);
    const trips = tripsOf(cells, STAGES);

    expect(trips.flat()).toHaveLength(cells.length);
    expect(new Set(trips.flat()).size).toBe(cells.length);
    for (const trip of trips) {
      const places = trip.map(({ point }) => STAGES.indexOf(point.stage));
      expect(places.slice(1).every((place, index) => place - (places[index] ?? 0) >= 2)).toBe(true);
      expect(new Set(trip.map(({ fault }) => fault)).size).toBe(trip.length);
      const guardDied = trip.findIndex(({ fault }) => fault === 'guard');
      expect(trip.every(({ point }, index) => point.where !== null || guardDied === -1 || index <= guardDied)).toBe(
        true,
      );
    }
    expect(trips.length).toBeLessThan(cells.length);
  });
});

describe('a run', () => {
  const [first, second] = (['worker', 'guard'] as const).map(
    (fault): Cell => ({
      fault,
      point: { course: 'run', name: 'turn.after-exit', role: 'worker', where: 'runTurn 2', nth: 1, stage: 'planning' },
    }),
  ) as [Cell, Cell]; // Of two, two.
  const TWICE: Counts = { ...CLEAN, commits: 1 };

  it('of one cell stands as it is', () => {
    for (const counts of [CLEAN, TWICE, null]) {
      const results = [{ cell: first, counts, error: null }];
      expect(judgeTrip(results)).toEqual({ stands: results, again: [], failure: null });
    }
  });

  it('of several that is clean stands for those that fired; the others are taken alone', () => {
    const results = [resultOf(first, true, CLEAN), resultOf(second, false, CLEAN)];

    expect(judgeTrip(results)).toEqual({ stands: [results[0]], again: [second], failure: null });
  });

  it.each([
    ['all of which fired', [resultOf(first, true, TWICE), resultOf(second, true, TWICE)], '"commits":1'],
    ['one of which fired', [resultOf(first, true, TWICE), resultOf(second, false, TWICE)], '"commits":1'],
    ['none of which fired', [resultOf(first, false, TWICE), resultOf(second, false, TWICE)], '"commits":1'],
    ['which did not end', [first, second].map((cell) => ({ cell, counts: null, error: 'not closed' })), 'not closed'],
  ])('of several, %s, that is not clean is told by itself, whatever its cells do alone', (_which, results, why) => {
    const { stands, again, failure } = judgeTrip(results);

    expect({ stands, again }).toEqual({ stands: [], again: [first, second] });
    expect(failure).toContain('worker at turn.after-exit (planning) and guard at turn.after-exit (planning)');
    expect(failure).toContain(why);
  });

  it('that is not clean though nothing fired is not taken again as one that did not count', () => {
    expect(resultOf(first, false, TWICE).error).toContain('"commits":1');
    expect(resultOf(first, false, CLEAN)).toEqual({ cell: first, counts: null, error: null });
  });
});

describe('the summary of a whole matrix', () => {
  const cell = (fault: Cell['fault'], name: Passage['name']): Cell => ({
    fault,
    point: { course: 'run', name, role: 'worker', where: 'runTurn 2', nth: 1, stage: 'planning' },
  });
  const strikes = { worker: 1, guard: 0, server: 0, engine: 0, all: 0, stop: 0 };

  it('adds up what fired; what did not fire is told and counts nowhere', () => {
    const { faults, stages, failpoints, uncounted, blackBox } = summaryOf(
      [
        { cell: cell('worker', 'turn.after-exit'), counts: CLEAN, error: null },
        { cell: cell('guard', 'turn.after-exit'), counts: { ...CLEAN, orphans: 2 }, error: null },
        { cell: cell('stop', 'turn.after-record'), counts: null, error: null },
      ],
      { runs: 2, strikes, gitDeaths: { before: 1, during: 0, after: 0 }, counts: [{ ...CLEAN, events: 3 }, null] },
    );

    expect(faults.worker).toEqual({ cells: 1, counts: CLEAN });
    expect(faults.guard).toEqual({ cells: 1, counts: { ...CLEAN, orphans: 2 } });
    expect(stages['planning']).toMatchObject({ worker: 1, guard: 1, stop: 0 });
    expect(failpoints).toEqual({ 'turn.after-exit': 2 });
    expect(uncounted).toBe(1);
    expect(blackBox).toMatchObject({ uncounted: 1, counts: { events: 3 } });
  });
});
