/** `sluice list`: the runs, newest first, from visibility or from the run folders when the engine is down. */
import Table from 'cli-table3';
import type { ListedRun } from '../../listed-run.js';
import { CliError } from '../cli-error.js';
import { connectToLook } from '../connect.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { findRuns } from '../find-run.js';
import { foreign, type Io } from '../io.js';
import { truncate } from '../panel.js';

export async function list(context: Context, { limit }: { readonly limit: string }): Promise<ExitCode> {
  const { io, json } = context;
  const count = readLimit(limit);
  const sluice = await connectToLook(context);
  try {
    const runs = (await findRuns(context, sluice)).slice(0, count);
    if (json) {
      for (const run of runs) io.json(run);
      return EXIT.done;
    }
    if (sluice === null) io.err('The engine is down; these are the run folders of the known repositories.');
    io.out(runs.length === 0 ? 'No runs yet. Start one with: sluice run "<task>"' : renderTable(runs, io));
    return EXIT.done;
  } finally {
    await sluice?.close();
  }
}

export function renderTable(runs: readonly ListedRun[], { columns, colors }: Pick<Io, 'columns' | 'colors'>): string {
  const table = new Table({ head: ['RUN', 'STATUS', 'SINCE', 'TITLE'], style: { head: [], border: [] }, chars: NO_FRAME });
  const rows = runs.map((run) => ({
    id: foreign(run.runId),
    status: statusText(run),
    since: sinceText(run),
    title: foreign(run.title ?? ''),
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
function statusText(run: ListedRun): string {
  const status = run.status ?? (run.execution === 'RUNNING' ? 'starting' : (run.execution ?? 'unknown').toLowerCase());
  return run.waiting === null || run.closedAt !== null ? status : `${status} (waits: ${foreign(run.waiting)})`;
}

function sinceText(run: ListedRun): string {
  return (run.since ?? run.closedAt ?? run.startedAt).slice(0, SINCE_COLUMNS).replace('T', ' ');
}

function paint(status: string, colors: Io['colors']): string {
  if (status === 'merge_ready') return colors.green(status);
  if (status === 'failed') return colors.red(status);
  return status === 'blocked' || status === 'aborted' ? colors.yellow(status) : status;
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map((text) => text.length));
}

function readLimit(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new CliError({
    what: `--limit is ${foreign(text)}`,
    why: 'it must be an integer from 1',
    now: 'Nothing was changed.',
    mend: 'sluice list --limit 50',
  });
}
