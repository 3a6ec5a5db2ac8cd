/**
 * The index of a backlog as it goes over continue-as-new, for which the server takes 2 MB: columns of numbers, one entry a row, and beside them what few rows have. Ten thousand rows of no
 * more than a state take 300 KB. Pure.
 */
import type { ItemStateName } from '../../protocol/actors/item.js';
import type { BacklogState } from './backlog-state.js';
import { type Row, Rows } from './rows.js';

type Sparse<Value> = readonly (readonly [at: number, value: Value])[];

/** The rows by their ids. Times are counted from the one before them, so that they are short. */
export interface PackedRows {
  readonly ids: readonly number[];
  readonly versions: readonly number[];
  /** Before the version. */
  readonly since: readonly number[];
  /** The place in `PACKED_STATES`, and 8 for a slot, 16 for one that is held. */
  readonly states: readonly number[];
  readonly runs: readonly number[];
  readonly priorities: readonly number[];
  /** Places in `names`, from 1; 0: nobody. */
  readonly by: readonly number[];
  readonly names: readonly string[];
  readonly ready: Sparse<string>;
  readonly needs: Sparse<readonly number[]>;
  readonly linked: Sparse<number>;
  readonly files: Sparse<readonly string[]>;
  readonly grants: Sparse<NonNullable<Row['grant']>>;
  /** The time is counted from the version. */
  readonly asks: Sparse<readonly [atMs: number, everyMs: number]>;
}

export type PackedBacklog = Omit<BacklogState, 'rows'> & { readonly rows: PackedRows };

/** In this order for ever: an execution of before packed them. At most eight. */
const PACKED_STATES: readonly ItemStateName[] = [
  'gated',
  'queued',
  'running',
  'parked',
  'closed',
  'admitting',
  'clarifying',
];

const SLOT = 8;
const HELD = 16;

export function packBacklog(state: BacklogState): PackedBacklog {
  return { ...state, rows: packRows(state.rows) };
}

export function unpackBacklog(packed: PackedBacklog): BacklogState {
  return { ...packed, rows: unpackRows(packed.rows) };
}

export function packRows({ all: rows }: Rows): PackedRows {
  const names = [...new Set(rows.flatMap(({ by }) => (by === null ? [] : [by])))];
  const placeOf = new Map(names.map((name, at) => [name, at + 1]));
  const versions = rows.map(({ version }) => version);
  return {
    ids: stepsOf(rows.map(({ id }) => Number(id))),
    versions: stepsOf(versions),
    since: rows.map(({ since, version }) => version - since),
    states: rows.map(({ state, slot, held }) => PACKED_STATES.indexOf(state) + (slot ? SLOT : 0) + (held ? HELD : 0)),
    runs: rows.map(({ runs }) => runs),
    priorities: rows.map(({ priority }) => priority),
    by: rows.map(({ by }) => (by === null ? 0 : (placeOf.get(by) ?? 0))),
    names,
    ready: sparse(rows, ({ ready }) => ready),
    needs: sparse(rows, ({ needs }) => (needs.length === 0 ? null : needs.map(Number))),
    linked: sparse(rows, ({ linked }) => (linked === 0 ? null : linked)),
    files: sparse(rows, ({ files }) => (files.length === 0 ? null : files)),
    grants: sparse(rows, ({ grant }) => grant),
    asks: sparse(rows, ({ ask, version }) => (ask === null ? null : [ask.atMs - version, ask.everyMs])),
  };
}

export function unpackRows(packed: PackedRows): Rows {
  const { since, states, runs, priorities, by, names } = packed;
  const versions = sumsOf(packed.versions);
  const [ready, needs, linked] = [new Map(packed.ready), new Map(packed.needs), new Map(packed.linked)];
  const [files, grants, asks] = [new Map(packed.files), new Map(packed.grants), new Map(packed.asks)];
  const rows = sumsOf(packed.ids).map((id, at): Row => {
    const [version = 0, bits = 0, ask] = [versions[at], states[at], asks.get(at)];
    return {
      id: String(id),
      version,
      state: PACKED_STATES[bits % SLOT] ?? 'queued',
      slot: (bits & SLOT) !== 0,
      since: version - (since[at] ?? 0),
      runs: runs[at] ?? 0,
      priority: priorities[at] ?? 0,
      ready: ready.get(at) ?? null,
      needs: (needs.get(at) ?? []).map(String),
      linked: linked.get(at) ?? 0,
      files: files.get(at) ?? [],
      held: (bits & HELD) !== 0,
      by: names[(by[at] ?? 0) - 1] ?? null,
      grant: grants.get(at) ?? null,
      ask: ask === undefined ? null : { atMs: version + ask[0], everyMs: ask[1] },
    };
  });
  return Rows.of(rows);
}

/** Each less the one before it. */
function stepsOf(numbers: readonly number[]): readonly number[] {
  return numbers.map((number, at) => number - (numbers[at - 1] ?? 0));
}

function sumsOf(steps: readonly number[]): readonly number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}

function sparse<Value>(rows: readonly Row[], valueOf: (row: Row) => Value | null): Sparse<Value> {
  return rows.flatMap((row, at) => {
    const value = valueOf(row);
    return value === null ? [] : [[at, value] as const];
  });
}
