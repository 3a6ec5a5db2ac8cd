/** The list of runs, live: all rows for a new reader, then those that changed, each time in pieces of which the last one is empty. */
import { Feed } from './feed.js';
import { type ListedRuns, type RunLister, rowOf } from './list-runs.js';
import { repeat } from './repeat.js';
import type { RunRow, Source, StreamEvent } from './shapes.js';

/** **Unit** ms: visibility is a second behind in any case. */
const EVERY_MS = 2_000;

/** **Unit** rows of one event. */
const ROWS_AT_ONCE = 100;

interface Kept {
  /** Null: the run is listed no more. */
  readonly row: RunRow | null;
  /** Counts every change of any row. */
  readonly version: number;
}

interface Piece {
  readonly event: StreamEvent;
  /** The version of who was told it. */
  readonly end: number;
}

export class ListFeed extends Feed {
  private readonly rows = new Map<string, Kept>();
  private version = 0;
  /** Null: nothing was listed yet. */
  private source: Source | null = null;
  /** What readers at the same version lack is one event for all of them, until the next look. */
  private readonly pieces = new Map<number, Piece>();
  readonly close: () => void;

  constructor(lister: Pick<RunLister, 'list'>, everyMs = EVERY_MS) {
    super();
    this.close = repeat(async () => this.take(await lister.list()), everyMs);
  }

  reader(): () => StreamEvent | null {
    let version = 0;
    let told: Source | null = null;
    let isComplete = false;
    return () => {
      const { source } = this;
      if (source === null) return null;
      if (isComplete && version === this.version && told !== null && isSame(told, source)) return null;
      const { event, end } = this.pieceAfter(version, source);
      // Behind the last piece comes one that says nothing, by which a reader knows that there are no more.
      isComplete = end === version;
      version = end;
      told = source;
      return event;
    };
  }

  private pieceAfter(version: number, source: Source): Piece {
    const known = this.pieces.get(version);
    if (known !== undefined) return known;
    const changed = this.changedSince(version);
    const end = changed.at(-1)?.[1].version ?? version;
    const rows = changed.flatMap(([, { row }]) => (row === null ? [] : [row]));
    const gone = changed.flatMap(([runId, { row }]) => (row === null ? [runId] : []));
    const piece: Piece = { event: { topic: 'list', whole: version === 0, rows, gone, source }, end };
    this.pieces.set(version, piece);
    return piece;
  }

  private changedSince(version: number): readonly (readonly [string, Kept])[] {
    const changed = [...this.rows].filter(([, kept]) => kept.version > version);
    return changed.toSorted(([, a], [, b]) => a.version - b.version).slice(0, ROWS_AT_ONCE);
  }

  private take({ runs, source }: ListedRuns): void {
    const now = new Map(runs.map((run) => [run.runId, rowOf(run)]));
    const gone = [...this.rows.keys()].filter((runId) => !now.has(runId));
    for (const [runId, row] of [...now, ...gone.map((runId) => [runId, null] as const)]) {
      const kept = this.rows.get(runId);
      if (kept === undefined ? row !== null : !isSame(kept.row, row)) this.keep(runId, row);
    }
    this.source = source;
    this.pieces.clear();
    this.wakeAll();
  }

  private keep(runId: string, row: RunRow | null): void {
    this.version += 1;
    this.rows.set(runId, { row, version: this.version });
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
