/** The lifecycle as a graph, and any walk through it. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createLifecycle,
  isTerminal,
  RUN_STATUSES,
  type RunStatus,
  StateTransitionError,
  TERMINAL_STATUSES,
  TRANSITIONS,
} from '../../../protocol/run/lifecycle.js';
import { STAGE_LISTS, STAGES } from '../../../protocol/run/stages.js';

/** Between these a run makes several moves at once, and each must be one of the table. */
const HELD: readonly RunStatus[] = ['waiting_for_approval', 'paused'];
const OPEN = RUN_STATUSES.filter((status) => !isTerminal(status));

function reachableFrom(start: RunStatus): ReadonlySet<RunStatus> {
  const seen = new Set<RunStatus>([start]);
  for (const status of seen) for (const next of TRANSITIONS[status]) seen.add(next);
  return seen;
}

describe('the lifecycle as a graph', () => {
  it('reaches every status from created', () => {
    expect([...reachableFrom('created')].sort()).toEqual([...RUN_STATUSES].sort());
  });

  it.each(TERMINAL_STATUSES)('has no way out of %s', (status) => {
    expect([...reachableFrom(status)]).toEqual([status]);
  });

  it.each(OPEN)('lets a run at %s end failed and aborted at once, and merge_ready in the end', (status) => {
    expect(TRANSITIONS[status]).toEqual(expect.arrayContaining(['failed', 'aborted']));
    expect(reachableFrom(status)).toContain('merge_ready');
  });

  it.each(OPEN.filter((status) => !HELD.includes(status)))(
    'lets a run that waits or pauses at %s go back there',
    (status) => {
      for (const held of HELD) {
        expect(TRANSITIONS[status]).toContain(held);
        expect(TRANSITIONS[held]).toContain(status);
      }
    },
  );

  it('never holds a run that is held, moves to where it stands, or says a move twice', () => {
    for (const status of RUN_STATUSES) {
      expect(new Set(TRANSITIONS[status]).size).toBe(TRANSITIONS[status].length);
      expect(TRANSITIONS[status]).not.toContain(status);
    }
    for (const held of HELD)
      for (const other of [...HELD, 'merge_ready' as const]) expect(TRANSITIONS[held]).not.toContain(other);
  });
});

describe('any walk', () => {
  const lists = fc.oneof(fc.constantFrom(...Object.values(STAGE_LISTS)), fc.subarray([...STAGES], { minLength: 1 }));

  it('makes only moves of the table, stays where a move is refused, and stays for ever at an end', () => {
    fc.assert(
      fc.property(lists, fc.array(fc.constantFrom(...RUN_STATUSES), { maxLength: 60 }), (stages, wishes) => {
        const lifecycle = createLifecycle(stages);
        for (const to of wishes) {
          const from = lifecycle.status;
          const isLegal =
            TRANSITIONS[from].includes(to) && (to !== 'merge_ready' || from === 'verifying' || from === stages.at(-1));
          if (isLegal) expect(lifecycle.move(to)).toBe(from);
          else expect(() => lifecycle.move(to)).toThrow(StateTransitionError);
          expect(lifecycle.status).toBe(isLegal ? to : from);
          if (isTerminal(from)) expect(isLegal).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of legal moves alone gets to an end from wherever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (choices) => {
        const lifecycle = createLifecycle(STAGES);
        for (const choice of choices) {
          const ways = TRANSITIONS[lifecycle.status].filter(
            (to) => to !== 'merge_ready' || lifecycle.status === 'verifying',
          );
          const next = ways[choice % Math.max(1, ways.length)];
          if (next === undefined) break;
          lifecycle.move(next);
        }
        if (!isTerminal(lifecycle.status)) lifecycle.move('aborted');

        expect(isTerminal(lifecycle.status)).toBe(true);
      }),
    );
  });
});
