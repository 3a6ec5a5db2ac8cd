/** The index of a backlog goes over continue-as-new as it is, in few bytes. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ITEM_STATES } from '../../../protocol/actors/item.js';
import { DEFAULT_BACKLOG } from '../../../protocol/run/backlog-policy.js';
import { emptyBacklog } from '../../../workflows/backlog/backlog-state.js';
import { BACKLOG_RULES } from '../../../workflows/backlog/backlog-table.js';
import { packRows, unpackRows } from '../../../workflows/backlog/pack-rows.js';
import { type Row, Rows } from '../../../workflows/backlog/rows.js';
import { newestOf } from '../../support/newest-rules.js';

const TIME = fc.integer({ min: 0, max: 4_000_000_000_000 });
const ID = fc.integer({ min: 1, max: 9_999_999 }).map(String);

const ROW: fc.Arbitrary<Row> = fc.record({
  id: ID,
  version: TIME,
  state: fc.constantFrom(...ITEM_STATES),
  slot: fc.boolean(),
  held: fc.boolean(),
  since: TIME,
  runs: fc.nat({ max: 10_000 }),
  priority: fc.integer({ min: -1_000_000, max: 1_000_000 }),
  ready: fc.option(fc.string()),
  needs: fc.array(ID, { maxLength: 20 }),
  linked: fc.nat({ max: 50 }),
  files: fc.array(fc.string(), { maxLength: 20 }),
  by: fc.option(fc.string({ unit: 'binary' })),
  grant: fc.option(fc.record({ version: TIME, at: TIME })),
  ask: fc.option(fc.record({ atMs: TIME, everyMs: fc.nat({ max: 21_600_000 }) })),
});

/** As the server keeps it. */
function carried(rows: readonly Row[]): Rows {
  return unpackRows(JSON.parse(JSON.stringify(packRows(Rows.of(rows)))));
}

describe('the rows of a backlog', () => {
  it('are after a hand-over what they were before it, by their ids', () => {
    fc.assert(
      fc.property(fc.uniqueArray(ROW, { selector: ({ id }) => id, maxLength: 40 }), (rows) => {
        expect(carried(rows)).toEqual(Rows.of(rows));
      }),
    );
  });

  it('take at most 48 bytes each where ten thousand tasks of a month wait', () => {
    const began = Date.parse('2026-11-01T00:00:00.000Z');
    const rows = Array.from({ length: 10_000 }, (_, n): Row => {
      const since = began + n * 259_200 + (n % 977);
      return {
        id: `${n + 1}`,
        version: since + ((n * 7_919) % 86_400_000),
        state: 'queued',
        slot: false,
        held: false,
        since,
        runs: n % 3,
        priority: n % 10,
        ready: null,
        needs: [],
        linked: 0,
        files: [],
        by: 'ann',
        grant: null,
        ask: null,
      };
    });

    const bytes = JSON.stringify(packRows(Rows.of(rows))).length;
    expect(bytes).toBeLessThanOrEqual(48 * rows.length);
    expect(carried(rows).all).toEqual(rows);
  });

  it('know what all of them come to, whatever came, changed and went in between', () => {
    const step = fc.record({ row: ROW, isGone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const few = steps.map(({ row, isGone }) => ({ row: { ...row, id: `${Number(row.id) % 7}` }, isGone }));
        const rows = few.reduce((all, { row, isGone }) => (isGone ? all.without(row.id) : all.with(row)), Rows.none);

        expect(rows.sums).toEqual(Rows.of(rows.all).sums);
      }),
    );
  });
});

describe('a backlog', () => {
  const CREATE = { kind: 'create', key: 'k', repo: '/shop', host: 'h1', by: null, tasks: [], bytes: 1_000 } as const;
  const rowOf = (id: string, files: readonly string[]): Row => ({
    id,
    version: 1,
    state: 'queued',
    slot: false,
    held: false,
    since: 1,
    runs: 0,
    priority: 0,
    ready: null,
    needs: [],
    linked: 0,
    files,
    by: null,
    grant: null,
    ask: null,
  });
  const judged = (rows: Rows) =>
    newestOf(BACKLOG_RULES).judge({ ...emptyBacklog('shop', DEFAULT_BACKLOG), rows }, CREATE);

  it('is full where what its tasks say of their files takes all its room, and takes tasks again once one is gone', () => {
    const files = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(1_990, 'f'));
    const two = Rows.none.with(rowOf('1', files)).with(rowOf('2', files));

    expect(judged(two).kind).toBe('accepted');
    expect(judged(two.with(rowOf('3', files)))).toEqual({
      kind: 'refused',
      why: 'backlog_full: what 3 open items say of their files and dependencies takes all its room',
    });
    expect(judged(two.with(rowOf('3', files)).without('1')).kind).toBe('accepted');
  });
});
