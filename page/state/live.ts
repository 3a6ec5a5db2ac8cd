/** What the page knows of the live stream, and how each event changes it. Pure: nothing here asks, waits or draws. */
import type {
  BatchList,
  JournalLine,
  LandingsPage,
  LimitsPage,
  RunRow,
  Source,
  StreamEvent,
} from '../../client/http/shapes.js';

export interface LiveRun {
  readonly events: readonly JournalLine[];
  /** Where to go on from; null: from the beginning. */
  readonly position: string | null;
  readonly work: NonNullable<Extract<StreamEvent, { topic: 'work' }>['work']> | null;
  /** Counts what makes the run worth asking for again. */
  readonly changes: number;
}

interface Listed {
  readonly rows: ReadonlyMap<string, RunRow>;
  readonly source: Source;
}

export interface Live {
  /** Of the list that was complete last. Null: nothing was told yet. */
  readonly rows: Listed['rows'] | null;
  readonly source: Source | null;
  /** The next list, as far as its pieces came. Null: none has begun. */
  readonly coming: Listed | null;
  /** Those that are shown: of no other is a run, text or batch kept. */
  readonly topics: readonly string[];
  readonly runs: ReadonlyMap<string, LiveRun>;
  /** Of each: null until it was told. */
  readonly batches: BatchList | null;
  readonly limits: LimitsPage | null;
  readonly landings: LandingsPage | null;
  /** What agents say, by `<run>/<turn>`. */
  readonly texts: ReadonlyMap<string, LiveText>;
  /** By workflow id. */
  readonly batch: ReadonlyMap<string, LiveBatch>;
}

/** As its event says. */
export type LiveBatch = Pick<Extract<StreamEvent, { topic: 'batch' }>, 'page' | 'why'>;

export interface LiveText {
  readonly text: string;
  readonly position: string;
}

export const NOTHING_LIVE: Live = {
  rows: null,
  source: null,
  coming: null,
  topics: [],
  runs: new Map(),
  batches: null,
  limits: null,
  landings: null,
  batch: new Map(),
  texts: new Map(),
};

const NEW_RUN: LiveRun = { events: [], position: null, work: null, changes: 0 };

export function applyEvent(live: Live, event: StreamEvent): Live {
  const kept = keptUnder(event);
  if (kept !== null && !live.topics.includes(kept)) return live;
  switch (event.topic) {
    case 'list':
      return withList({ ...live, runs: rowsChanged(live.runs, event.rows) }, event);
    case 'run': {
      const { runId, whole, position, events } = event;
      // What goes on from a beginning that only another tab has.
      if (!whole && runOf(live, runId).position === null) return live;
      return withRun(live, runId, (run) => ({
        ...run,
        position,
        events: whole ? events : appended(run.events, events),
      }));
    }
    case 'changed':
      return withRun(live, event.runId, (run) => ({ ...run, changes: run.changes + 1 }));
    case 'work':
      return withRun(live, event.runId, (run) => ({ ...run, work: event.work }));
    case 'live': {
      const { runId, turn, whole, position, text } = event;
      const key = `${runId}/${turn}`;
      const before = whole ? '' : live.texts.get(key)?.text;
      if (before === undefined) return live;
      return { ...live, texts: new Map(live.texts).set(key, { text: before + text, position }) };
    }
    case 'batches':
      return { ...live, batches: event.page };
    case 'limits':
      return { ...live, limits: event.page };
    case 'landings':
      return { ...live, landings: event.page };
    case 'batch': {
      const { id, page, why } = event;
      return { ...live, batch: new Map(live.batch).set(id, { page, why }) };
    }
  }
}

/** Forgets what is not shown any more. */
export function keepOnly(live: Live, topics: readonly string[]): Live {
  if (topics.length === live.topics.length && topics.every((topic, n) => topic === live.topics[n])) return live;
  const keep = <T>(known: ReadonlyMap<string, T>, kind: string): ReadonlyMap<string, T> =>
    new Map([...known].filter(([id]) => topics.includes(`${kind}:${id}`)));
  const { runs, texts, batch } = live;
  return { ...live, topics, runs: keep(runs, 'run'), texts: keep(texts, 'live'), batch: keep(batch, 'batch') };
}

/** The topic without which nothing is kept of that event. Null: it is one of a few pages, or the list, which every tab keeps. */
function keptUnder(event: StreamEvent): string | null {
  switch (event.topic) {
    case 'run':
    case 'changed':
    case 'work':
      return `run:${event.runId}`;
    case 'live':
      return `live:${event.runId}/${event.turn}`;
    case 'batch':
      return `batch:${event.id}`;
    default:
      return null;
  }
}

export function runOf({ runs }: Live, runId: string): LiveRun {
  return runs.get(runId) ?? NEW_RUN;
}

/** How many runs wait for a person. */
export function yoursIn({ rows }: Live): number {
  return [...(rows?.values() ?? [])].filter(({ group }) => group === 'yours').length;
}

/** What a stream is asked for by somebody who knows this much: the list, and those topics, each run from where it stands. */
export function topicsFor(live: Live, topics: readonly string[]): readonly string[] {
  return ['list', ...topics.map((topic) => withPosition(live, topic))];
}

function withPosition(live: Live, topic: string): string {
  const runId = runIn(topic);
  const ofText = live.texts.get(topic.replace(/^live:/, ''))?.position ?? null;
  const position = runId === null ? ofText : runOf(live, runId).position;
  return position === null ? topic : `${topic}@${position}`;
}

/** Null for a topic that is no run. */
export function runIn(topic: string): string | null {
  return topic.startsWith('run:') ? topic.slice('run:'.length) : null;
}

/** Its pieces are put in place together, once one says nothing: the list is never shown, nor compared with another, in parts. */
function withList(live: Live, event: Extract<StreamEvent, { topic: 'list' }>): Live {
  const { source } = event;
  const rows = rowsAfter(live.coming?.rows ?? live.rows, event);
  const isComplete = event.rows.length === 0 && event.gone.length === 0;
  return isComplete ? { ...live, rows, source, coming: null } : { ...live, coming: { rows, source } };
}

function rowsAfter(rows: Live['rows'], event: Extract<StreamEvent, { topic: 'list' }>): ReadonlyMap<string, RunRow> {
  const after = new Map(event.whole ? [] : rows);
  for (const runId of event.gone) after.delete(runId);
  for (const row of event.rows) after.set(row.runId, row);
  return after;
}

/** A line that is told twice, by a stream that was cut and one that follows it, counts once. */
function appended(events: readonly JournalLine[], more: readonly JournalLine[]): readonly JournalLine[] {
  const last = events.at(-1)?.seq ?? 0;
  return [...events, ...more.filter(({ seq }) => seq > last)];
}

/** Its landing is told by its row alone. */
function rowsChanged(runs: Live['runs'], rows: readonly RunRow[]): Live['runs'] {
  const shown = rows.filter(({ runId }) => runs.has(runId));
  if (shown.length === 0) return runs;
  const after = new Map(runs);
  for (const { runId } of shown) {
    const run = after.get(runId) ?? NEW_RUN;
    after.set(runId, { ...run, changes: run.changes + 1 });
  }
  return after;
}

function withRun(live: Live, runId: string, change: (run: LiveRun) => LiveRun): Live {
  return { ...live, runs: new Map(live.runs).set(runId, change(runOf(live, runId))) };
}
