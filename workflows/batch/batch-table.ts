/**
 * The one table of a batch: what became of each task, what is started next, and how lists and the Web UI show it. Pure.
 * A row only moves forward: waiting → running → ended or refused; waiting → skipped, refused or not_started. A task that stands twice is
 * skipped from the start where it stands again.
 */
import type { BatchRow, BatchState, BatchView } from '../../protocol/actors/batch.js';
import { MAX_SENTENCE_CHARS } from '../../protocol/limits.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import { type MessageReading, readRunMessage } from '../../protocol/messages/run-message.js';
import { printableLine } from '../../protocol/text/printable.js';
import { redact } from '../../protocol/text/redact.js';
import type { Rules, Shown, Step, Tick } from '../actor/actor.js';
import { type BackOff, doubleThenWait } from '../actor/back-off.js';
import type { Judgement } from '../inbox/inbox.js';
import type { PlannedTask } from './batch-tasks.js';
import { type Address, type Fate, notStarted } from './fates.js';

/** The server takes 20 000 bytes of details; a longer list is read by Query `status`. */
const SHOWN_ROWS = 60;
const SHOWN_CHARS = 12_000;

export interface BatchTable extends BatchView {
  readonly tasks: readonly PlannedTask[];
  readonly concurrency: number;
  /** Places in the list that wait for their turn. */
  readonly queue: readonly number[];
  /** Tasks that were started and have not ended. */
  readonly atWork: number;
  /** Who aborted it and why, for people. */
  readonly abortNote: string | null;
  /** By place, where a task may be whose backlog has not answered: it is sent to no other. */
  readonly sent: Readonly<Record<number, Address>>;
  /** By repository, the host that is asked for its tasks. */
  readonly hosts: Readonly<Record<string, string>>;
  /** Somebody did not answer: then one task is tried, and the others once one was answered. Null: all did. Unit: ms. */
  readonly again: { readonly atMs: number; readonly everyMs: number } | null;
}

export type BatchEvent =
  | { readonly kind: 'begin' }
  /** `note` null: native cancellation says nothing but that it came. */
  | { readonly kind: 'abort'; readonly note: string | null }
  | { readonly kind: 'became'; readonly place: number; readonly fate: Fate }
  /** Whoever it was to be handed in to did not answer. */
  | { readonly kind: 'away'; readonly place: number; readonly sent: Address | null }
  | { readonly kind: 'found'; readonly repo: string; readonly host: string };

export type BatchErrand =
  | {
      readonly kind: 'start';
      readonly workflowId: string;
      readonly place: number;
      readonly task: PlannedTask;
      readonly sent: Address | null;
    }
  | { readonly kind: 'cancel'; readonly workflowId: string };

type BatchStep = Step<BatchTable, BatchErrand>;

export const BATCH_RULES: readonly Rules<BatchTable, BatchEvent, BatchErrand>[] = [
  { judge, after, wakesAt: ({ again, atWork }) => (again === null || atWork > 0 ? null : again.atMs), isIdle },
];

export function tableOf(of: Pick<BatchTable, 'batchId' | 'workflowId' | 'tasks' | 'concurrency'>): BatchTable {
  const rows = of.tasks.map(({ runId, input, sameAs }) => ({
    runId,
    title: redact(titleOf(input)),
    outcome: null,
    blockedReason: null,
    branch: null,
    ...(sameAs === null
      ? { state: 'waiting' as const, error: null }
      : { state: 'skipped' as const, error: `the same task is entry ${sameAs} of the list` }),
  }));
  const queue = of.tasks.flatMap(({ sameAs }, place) => (sameAs === null ? [place] : []));
  return { ...of, aborted: false, rows, queue, atWork: 0, abortNote: null, sent: {}, hosts: {}, again: null };
}

export function readBatchMessage(_name: string, argument: unknown): MessageReading<BatchEvent> {
  const reading = readRunMessage('abort', argument);
  if (reading.kind === 'bad') return reading;
  const { by } = reading.message;
  const reason = reading.message.name === 'abort' ? reading.message.reason : null;
  const note = `aborted${by === null ? '' : ` by ${by}`}${reason === null ? '' : `: ${reason}`}`;
  return { kind: 'ok', message: { kind: 'abort', note } };
}

export function viewOf({ batchId, workflowId, aborted, rows }: BatchTable): BatchView {
  return { batchId, workflowId, aborted, rows };
}

export function show(table: BatchTable): Shown {
  const status = statusOf(table);
  const counts = Object.fromEntries(STATES.map((state) => [state, count(table, state)]));
  // Small, since the server warns at 2 KiB.
  return {
    status,
    details: details(table),
    memo: { status, total: table.rows.length, ...counts, mergeReady: mergeReady(table) },
  };
}

function judge({ aborted }: BatchTable): Judgement {
  if (aborted) return { kind: 'unchanged', message: 'the batch is being aborted already' };
  return { kind: 'accepted', message: 'running runs are being aborted; waiting ones never start' };
}

function isIdle({ queue, atWork }: BatchTable): boolean {
  return queue.length === 0 && atWork === 0;
}

function after(table: BatchTable, event: BatchEvent | Tick, now: number): BatchStep {
  switch (event.kind) {
    case 'begin':
      return withStarts(table);
    case 'abort':
      return table.aborted ? { state: table, errands: [] } : aborted(table, event.note);
    case 'became': {
      const state = withFate(table, event.place, event.fate);
      return event.fate.state === 'running'
        ? { state, errands: [] }
        : withStarts({ ...state, atWork: state.atWork - 1, again: null });
    }
    case 'away':
      return { state: putBack(table, event, now), errands: [] };
    case 'found':
      return { state: { ...table, hosts: { ...table.hosts, [event.repo]: event.host } }, errands: [] };
    case 'tick':
      return table.again !== null && table.again.atMs <= now ? withStarts(table, 1) : { state: table, errands: [] };
  }
}

const AWAY: BackOff = { firstMs: 15_000, lastMs: 15 * 60_000 };

/** Behind the others: theirs may be there. */
function putBack(
  table: BatchTable,
  { place, sent: at }: Extract<BatchEvent, { kind: 'away' }>,
  now: number,
): BatchTable {
  const atWork = table.atWork - 1;
  const sent = at === null ? table.sent : { ...table.sent, [place]: at };
  if (table.aborted) return withFate({ ...table, atWork }, place, notStarted(at !== null));
  // Of those that were asked in the same moment each says so.
  const isTold = table.again !== null && table.again.atMs > now;
  const again = isTold ? table.again : doubleThenWait(table.again, AWAY, now);
  return { ...table, atWork, sent, queue: [...table.queue, place], again };
}

function withStarts(table: BatchTable, most = table.concurrency): BatchStep {
  const next = table.queue.slice(0, Math.max(0, most - table.atWork));
  const errands = next.flatMap((place) => {
    const task = table.tasks[place];
    const sent = table.sent[place] ?? null;
    return task === undefined ? [] : [{ kind: 'start' as const, workflowId: task.runId, place, task, sent }];
  });
  return { state: { ...table, queue: table.queue.slice(next.length), atWork: table.atWork + next.length }, errands };
}

function aborted(table: BatchTable, abortNote: string | null): BatchStep {
  const rows = table.rows.map((row, place) =>
    table.queue.includes(place) ? { ...row, ...notStarted(table.sent[place] !== undefined) } : row,
  );
  const errands = [{ kind: 'cancel' as const, workflowId: table.workflowId }];
  return { state: { ...table, rows, queue: [], aborted: true, abortNote, again: null }, errands };
}

function withFate(table: BatchTable, place: number, fate: Fate): BatchTable {
  const moved = (row: BatchRow) => ({
    ...row,
    ...fate,
    error: fate.error === undefined ? row.error : sentenceOf(fate.error),
  });
  return { ...table, rows: table.rows.map((row, at) => (at === place ? moved(row) : row)) };
}

/** The word for lists. */
function statusOf(table: BatchTable): string {
  if (table.aborted) return isIdle(table) ? 'aborted' : 'aborting';
  return isIdle(table) ? 'ended' : 'running';
}

/** Markdown for the Web UI. */
function details(table: BatchTable): string {
  const counts = STATES.flatMap((state) =>
    count(table, state) === 0 ? [] : [`${count(table, state)} ${state.replace('_', ' ')}`],
  );
  const head = `**${statusOf(table)}** · ${table.rows.length} tasks: ${counts.join(', ')} · ${mergeReady(table)} merge_ready`;
  const note = table.abortNote === null ? [] : ['', cell(table.abortNote)];
  const rows = table.rows.slice(0, SHOWN_ROWS).map(markdownRow);
  const more =
    table.rows.length > SHOWN_ROWS
      ? ['', `… and ${table.rows.length - SHOWN_ROWS} more: Query \`status\` has them all`]
      : [];
  return [head, ...note, '', '| run | task | state | branch |', '|---|---|---|---|', ...rows, ...more]
    .join('\n')
    .slice(0, SHOWN_CHARS);
}

function count({ rows }: BatchTable, state: BatchState): number {
  return rows.filter((row) => row.state === state).length;
}

function mergeReady({ rows }: BatchTable): number {
  return rows.filter((row) => row.outcome === 'merge_ready').length;
}

const STATES = [
  'waiting',
  'running',
  'handed_in',
  'ended',
  'skipped',
  'refused',
  'not_started',
] as const satisfies readonly BatchState[];

function markdownRow({ runId, title, state, outcome, blockedReason, branch, error }: BatchRow): string {
  const what =
    outcome === null ? state.replace('_', ' ') : `${outcome}${blockedReason === null ? '' : `: ${blockedReason}`}`;
  const why = error === null || outcome === 'merge_ready' ? '' : ` (${error})`;
  return `| \`${runId}\` | ${cell(title)} | ${cell(`${what}${why}`)} | ${branch === null ? '' : `\`${branch}\``} |`;
}

/** A title is foreign text: it must not end the cell or the table. */
function cell(text: string): string {
  return printableLine(text).replaceAll('\\', '\\\\').replaceAll('|', '\\|').slice(0, 160);
}

function sentenceOf(text: string | null): string | null {
  if (text === null) return null;
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, MAX_SENTENCE_CHARS - 1)}…`;
}
