/** `sluice list`: the runs, newest first, from visibility or from the run folders when the engine is down. */
import Table from 'cli-table3';
import type { ListedRun } from '../../listed-run.js';
import { retryText } from '../../retrying.js';
import type { Sluice } from '../../sluice.js';
import { CliError } from '../cli-error.js';
import { truncate } from '../columns.js';
import { connectToLook } from '../connect.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { findRuns } from '../find-run.js';
import { foreign, type Io } from '../io.js';

export async function list(context: Context, { limit }: { readonly limit: string }): Promise<ExitCode> {
  const { io, json } = context;
  const count = readLimit(limit);
  const sluice = await connectToLook(context);
  try {
    const runs = await withRetries((await findRuns(context, sluice)).slice(0, count), sluice);
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

/** **Unit** runs: each is one question to the server. */
const ASKED_AT_MOST = 50;

async function withRetries<Run extends ListedRun>(runs: readonly Run[], sluice: Sluice | null): Promise<readonly Run[]> {
  if (sluice === null) return runs;
  const open = runs.filter((run) => run.execution === 'RUNNING').slice(0, ASKED_AT_MOST);
  const asked = new Map(
    await Promise.all(open.map(async ({ workflowId }) => [workflowId, await sluice.describe(workflowId).catch(() => null)] as const)),
  );
  return runs.map((run) => ({ ...run, retrying: asked.get(run.workflowId)?.retrying ?? null }));
}

export function renderTable(runs: readonly ListedRun[], { columns, colors }: Pick<Io, 'columns' | 'colors'>): string {
  const table = new Table({ head: ['RUN', 'STATUS', 'SINCE', 'TITLE'], style: { head: [], border: [] }, chars: NO_FRAME });
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
function statusText(run: ListedRun): string {
  if (run.refused) return 'refused';
  const status = run.status ?? (run.execution === 'RUNNING' ? 'starting' : (run.execution ?? 'unknown').toLowerCase());
  return run.waiting === null || run.closedAt !== null ? status : `${status} (waits: ${foreign(run.waiting)})`;
}

/** What a person should see first: why nothing was started, or what fails again and again. */
function titleText(run: ListedRun): string {
  if (run.refused) return `why: sluice watch ${run.runId}`;
  return [...(run.retrying === null ? [] : [retryText(run.retrying)]), ...(run.title === null ? [] : [run.title])].join(' · ');
}

function sinceText(run: ListedRun): string {
  return (run.since ?? run.closedAt ?? run.startedAt).slice(0, SINCE_COLUMNS).replace('T', ' ');
}

function paint(status: string, colors: Io['colors']): string {
  if (status === 'merge_ready') return colors.green(status);
  if (status === 'failed' || status === 'refused') return colors.red(status);
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
