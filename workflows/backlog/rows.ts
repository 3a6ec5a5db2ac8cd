/**
 * The rows of a backlog's index, of which there may be ten thousand, and as many may report at once: by their ids in order, so that one is found without looking at all, with sums that go
 * along. Nothing is changed in place.
 */
import type { ItemRow, ItemStateName } from '../../protocol/actors/item.js';
import type { SlotGranted } from '../../protocol/actors/slot-grant.js';

export interface Row extends Omit<ItemRow, 'reason'> {
  /** Its last grant, which it has not answered yet. Null: there is none. */
  readonly grant: SlotGranted | null;
  /** When it is asked next how it stands, and how long it may be silent then. Null: it was not asked since it told something new. Unit: ms. */
  readonly ask: { readonly atMs: number; readonly everyMs: number } | null;
}

type Counts = Readonly<Record<ItemStateName, number>>;

interface Sums {
  readonly counts: Counts;
  /** Those that have one, or were granted one. */
  readonly slots: number;
  /** Queued without a slot. */
  readonly waiting: number;
  /** What they take packed, at most. */
  readonly bytes: number;
}

/** Of a row without what is counted, packed. */
const ROW_BYTES = 48;

/** Of when it is asked, packed. */
const ASK_BYTES = 28;

const NOTHING: Sums = {
  counts: { admitting: 0, clarifying: 0, gated: 0, queued: 0, running: 0, parked: 0, closed: 0 },
  slots: 0,
  waiting: 0,
  bytes: 0,
};

export class Rows {
  static readonly none = new Rows([], NOTHING);

  private constructor(
    /** By their numbers. */
    readonly all: readonly Row[],
    readonly sums: Sums,
  ) {}

  static of(rows: readonly Row[]): Rows {
    return new Rows(
      rows.toSorted((one, other) => Number(one.id) - Number(other.id)),
      rows.reduce((sums, row) => added(sums, row, 1), NOTHING),
    );
  }

  get size(): number {
    return this.all.length;
  }

  find(id: string): Row | undefined {
    const row = this.all[this.placeOf(id)];
    return row?.id === id ? row : undefined;
  }

  /** In the place of the one of its id. */
  with(row: Row): Rows {
    const at = this.placeOf(row.id);
    const before = this.all[at];
    if (before?.id !== row.id) return new Rows(this.all.toSpliced(at, 0, row), added(this.sums, row, 1));
    return new Rows(this.all.with(at, row), added(added(this.sums, before, -1), row, 1));
  }

  without(id: string): Rows {
    const at = this.placeOf(id);
    const before = this.all[at];
    return before?.id !== id ? this : new Rows(this.all.toSpliced(at, 1), added(this.sums, before, -1));
  }

  /** Of the first whose number is not smaller. */
  private placeOf(id: string): number {
    const number = Number(id);
    let [from, to] = [0, this.all.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      if (Number(this.all[middle]?.id) < number) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

function added({ counts, slots, waiting, bytes }: Sums, row: Row, by: 1 | -1): Sums {
  return {
    counts: { ...counts, [row.state]: counts[row.state] + by },
    slots: slots + (hasSlot(row) ? by : 0),
    waiting: waiting + (isWaiting(row) ? by : 0),
    bytes: bytes + by * bytesOf(row),
  };
}

function bytesOf({ files, needs, by, ask }: Row): number {
  return ROW_BYTES + (ask === null ? 0 : ASK_BYTES) + textBytes(files) + textBytes(needs) + textBytes([by ?? '']);
}

/** At most three bytes of UTF-8 a character. */
function textBytes(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + 3 * text.length + 3, 0);
}

export function hasSlot({ slot, grant }: Row): boolean {
  return slot || grant !== null;
}

/** Whoever it waits for. */
export function isAtWork(row: Row): boolean {
  return row.state === 'running' || (row.state === 'queued' && hasSlot(row));
}

export function isWaiting(row: Row): boolean {
  return row.state === 'queued' && !hasSlot(row);
}

/** Written out: an object that is made by leaving fields out of another is slow to read, ten thousand times a step. */
export function knownRow(
  { id, version, state, slot, since, runs, priority, ready, linked, files, held, by }: Omit<ItemRow, 'reason'>,
  needs: Row['needs'],
  { grant, ask }: Pick<Row, 'grant' | 'ask'>,
): Row {
  return { id, version, state, slot, since, runs, priority, ready, needs, linked, files, held, by, grant, ask };
}
