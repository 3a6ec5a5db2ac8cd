/** The table of a batch: what is started when, what an abort leaves, and that each task is started once under any order of ends. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Rules } from '../../../workflows/actor/actor.js';
import {
  BATCH_RULES,
  type BatchErrand,
  type BatchEvent,
  type BatchTable,
  readBatchMessage,
  show,
  tableOf,
} from '../../../workflows/batch/batch-table.js';
import { planTasks } from '../../../workflows/batch/batch-tasks.js';

const RULES = BATCH_RULES.at(-1) as Rules<BatchTable, BatchEvent, BatchErrand>;

function tableWith(concurrency: number, ...names: string[]): BatchTable {
  const tasks = names.map((task) => ({ input: { task, repo: '/shop', attended: false }, terms: {} }));
  return tableOf({ batchId: 'nightly', workflowId: 'batch:nightly', tasks: planTasks('nightly', tasks), concurrency });
}

function play(table: BatchTable, ...events: readonly BatchEvent[]) {
  let state = table;
  const errands = events.flatMap((event) => {
    const step = RULES.after(state, event, 0);
    state = step.state;
    return step.errands.map((errand) => (errand.kind === 'start' ? errand.place : errand.kind));
  });
  return { state, errands, states: state.rows.map((row) => row.state) };
}

const BEGIN: BatchEvent = { kind: 'begin' };
const ABORT: BatchEvent = { kind: 'abort', note: 'aborted by kim' };
const ended = (place: number): BatchEvent => ({
  kind: 'became',
  place,
  fate: { state: 'ended', outcome: 'merge_ready' },
});
const running = (place: number): BatchEvent => ({ kind: 'became', place, fate: { state: 'running' } });

describe('the table of a batch', () => {
  it('starts as many as may run at once, and the next one where one has ended', () => {
    const table = tableWith(2, 'one', 'two', 'three');

    expect(play(table, BEGIN).errands).toEqual([0, 1]);
    expect(play(table, BEGIN, running(0), running(1)).errands).toEqual([0, 1]);
    expect(play(table, BEGIN, running(1), ended(1)).errands).toEqual([0, 1, 2]);
  });

  it('skips a task where it stands again, and says so', () => {
    const { errands, state } = play(tableWith(5, 'one', 'two', 'one'), BEGIN);

    expect(errands).toEqual([0, 1]);
    expect(state.rows[2]).toMatchObject({ state: 'skipped', error: 'the same task is entry 1 of the list' });
  });

  it('is aborted once: what waits never starts, and what runs is told', () => {
    const { errands, states, state } = play(tableWith(1, 'one', 'two'), BEGIN, running(0), ABORT, {
      kind: 'abort',
      note: null,
    });

    expect(errands).toEqual([0, 'cancel']);
    expect(states).toEqual(['running', 'not_started']);
    expect([show(state).status, show(play(state, ended(0)).state).status]).toEqual(['aborting', 'aborted']);
    expect(show(state).details).toContain('aborted by kim');
    expect(RULES.judge(state, ABORT).kind).toBe('unchanged');
  });

  it('starts nothing where it is aborted before it begins', () => {
    const { errands, state } = play(tableWith(2, 'one', 'two'), ABORT, BEGIN);

    expect(errands).toEqual(['cancel']);
    expect(RULES.isIdle(state)).toBe(true);
  });

  it('notes who aborts it and why, and takes no other argument', () => {
    const note = (argument: unknown) => readBatchMessage('abort', argument);

    expect(note({ by: 'kim', reason: 'wrong list' })).toEqual({
      kind: 'ok',
      message: { kind: 'abort', note: 'aborted by kim: wrong list' },
    });
    expect(note(undefined)).toEqual({ kind: 'ok', message: { kind: 'abort', note: 'aborted' } });
    expect(note({ bye: 1 })).toMatchObject({ kind: 'bad' });
  });

  it('starts every task once and ends, in whatever order its runs end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(20), { maxLength: 20 }), (concurrency, order) => {
        const names = order.map((_, n) => `task ${n}`);
        let state = tableWith(concurrency, ...names, 'last');
        const started: number[] = [];
        const open: number[] = [];
        const take = (event: BatchEvent) => {
          const step = RULES.after(state, event, 0);
          state = step.state;
          for (const errand of step.errands) if (errand.kind === 'start') open.push(errand.place);
          expect(open.length).toBeLessThanOrEqual(concurrency);
        };
        take(BEGIN);
        for (const pick of [...order, 0]) {
          const [place] = open.splice(pick % open.length, 1);
          if (place === undefined) continue;
          started.push(place);
          take(ended(place));
        }

        expect(started.toSorted((a, b) => a - b)).toEqual(state.rows.map((_, place) => place));
        expect(show(state).status).toBe('ended');
      }),
    );
  });
});
