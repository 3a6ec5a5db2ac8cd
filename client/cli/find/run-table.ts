/** Runs as a table: one line each, no wider than the terminal. Pure; foreign text is made printable here. */
import Table from 'cli-table3';
import { isFromFiles, type ListedRun } from '../../calls/listed-run.js';
import { retryText } from '../../calls/retrying.js';
import { truncate } from '../terminal/columns.js';
import { foreign, type Io } from '../terminal/io.js';
import { elapsed } from './waiting-text.js';

export function renderTable(runs: readonly ListedRun[], { columns, colors }: Pick<Io, 'columns' | 'colors'>): string {
  const table = new Table({
    head: ['RUN', 'STATUS', 'SINCE', 'TITLE'],
    style: { head: [], border: [] },
    chars: NO_FRAME,
  });
  const rows = runs.map((run) => ({
    id: foreign(run.runId),
    status: statusText(run),
    since: sinceText(run),
    title: foreign(titleText(run)),
  }));
  const used = widest(rows.map(({ id }) => id)) + widest(rows.map(({ status }) => status)) + SINCE_COLUMNS + 6;
  for (const { id, status, since, title } of rows) {
    table.push([id, paint(status, colors), since, truncate(title, Math.max(20, columns() - used - 2))]);
  }
  return table.toString();
}

const SINCE_COLUMNS = 16;

const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** The status, and what an open run waits for. */
export function statusText(run: ListedRun): string {
  if (run.refused) return 'refused';
  const status = run.status ?? (run.execution === 'RUNNING' ? 'starting' : (run.execution ?? 'unknown').toLowerCase());
  if (isFromFiles(run) && run.closedAt === null) return `${status} (unknown to the server)`;
  if (run.landing !== null) return landedText(status, run.landing);
  return run.waiting === null || run.closedAt !== null
    ? status
    : `${status} (waits: ${foreign(run.waiting)}${leftText(run)})`;
}

/** Of a closed run, whose status stays what it was. */
function landedText(status: string, { merge, entry, gate, paused, pull }: NonNullable<ListedRun['landing']>): string {
  if (merge === 'merged') return merge;
  if (paused) return `${status} (landing paused)`;
  if (entry === 'watched') return `${status} (others merge it)`;
  if (gate !== null) return `${status} (landing waits: ${gate.replaceAll('_', ' ')})`;
  if (merge === 'unmerged' && pull !== null)
    return `${status} (pull request ${pull.number}: ${(pull.at ?? 'asked').replaceAll('_', ' ')})`;
  return merge === 'abandoned' ? `${status} (given up)` : `${status} (lands: ${entry ?? 'asked'})`;
}

/** Only of what ends by itself: a gate's expiry is no promise. */
function leftText({ waiting, waitingUntil }: ListedRun): string {
  const left = waiting === 'usage_limit' && waitingUntil !== null ? Date.parse(waitingUntil) - Date.now() : Number.NaN;
  if (Number.isNaN(left)) return '';
  return left > 0 ? `, ${elapsed(left)} left` : ', due now';
}

/** What a person should see first: why nothing was started, or what fails again and again. */
function titleText(run: ListedRun): string {
  if (run.refused) return `why: sluice watch ${run.runId}`;
  return [...(run.retrying === null ? [] : [retryText(run.retrying)]), ...(run.title === null ? [] : [run.title])].join(
    ' · ',
  );
}

function sinceText(run: ListedRun): string {
  return (run.since ?? run.closedAt ?? run.startedAt).slice(0, SINCE_COLUMNS).replace('T', ' ');
}

function paint(status: string, colors: Io['colors']): string {
  if (status === 'merge_ready' || status === 'merged') return colors.green(status);
  if (status === 'failed' || status === 'refused') return colors.red(status);
  return status === 'blocked' || status === 'aborted' ? colors.yellow(status) : status;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}
