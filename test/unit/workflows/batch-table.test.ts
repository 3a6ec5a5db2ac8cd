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

  it('tries one task at a time, ever more seldom, while nobody answers, and all of them once somebody does', () => {
    const away = (place: number): BatchEvent => ({ kind: 'away', place, sent: null });
    let table = play(tableWith(2, 'one', 'two', 'three'), BEGIN, away(0), away(1)).state;
    const tried: unknown[] = [];
    let now = 0;
    for (let n = 0; n < 9; n += 1) {
      const at = RULES.wakesAt(table) ?? 0;
      const { state, errands } = RULES.after(table, { kind: 'tick' }, at);
      expect(RULES.wakesAt(state)).toBeNull();
      tried.push([(at - now) / 1_000, ...errands.map((errand) => (errand.kind === 'start' ? errand.place : null))]);
      now = at;
      table = RULES.after(state, away((n + 2) % 3), now).state;
    }
    expect(tried).toEqual([15, 30, 60, 120, 240, 480, 900, 900, 900].map((seconds, n) => [seconds, (n + 2) % 3]));
    const { state } = RULES.after(table, { kind: 'tick' }, RULES.wakesAt(table) ?? 0);
    expect(play(JSON.parse(JSON.stringify(state)) as BatchTable, ended(2)).errands).toEqual([0, 1]);
  });

  it('sends a task that may be in a backlog to no other, and says so where it is aborted', () => {
    const sent = { project: 'shop', host: 'h1' };
    const { state } = play(tableWith(1, 'one', 'two'), BEGIN, { kind: 'away', place: 0, sent });
    const other = RULES.after(state, { kind: 'tick' }, RULES.wakesAt(state) ?? 0);
    expect(other.errands).toMatchObject([{ kind: 'start', place: 1, sent: null }]);
    const anew = RULES.after(other.state, ended(1), 0);

    expect(anew.errands).toMatchObject([{ kind: 'start', place: 0, sent }]);
    const put = RULES.after(anew.state, { kind: 'away', place: 0, sent }, 0).state;
    for (const { rows } of [play(put, ABORT).state, play(anew.state, ABORT, { kind: 'away', place: 0, sent }).state])
      expect(rows[0]).toMatchObject({ state: 'not_started', error: 'whether it was handed in is not known' });
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
