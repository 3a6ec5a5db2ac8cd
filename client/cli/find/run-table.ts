/** Runs as a table: one line each, no wider than the terminal. Pure; foreign text is made printable here. */
import Table from 'cli-table3';
import type { ListedRun } from '../../calls/listed-run.js';
import { retryText } from '../../calls/retrying.js';
import { truncate } from '../terminal/columns.js';
import { foreign, type Io } from '../terminal/io.js';
import { statusText } from './run-status.js';

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
