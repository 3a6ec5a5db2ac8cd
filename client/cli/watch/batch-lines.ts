/** A batch for people: its table, one line a change, and what its end means. Pure; foreign text is made printable here. */
import type { BatchRow, BatchView } from '../../../protocol/actors/batch.js';
import { isTerminal, type RunStatus } from '../../../protocol/run/lifecycle.js';
import type { ListedRun } from '../../calls/listed-run.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';

/** Rows that are new or another than before, in the order of the list. */
export function changedRows(before: readonly BatchRow[], now: readonly BatchRow[]): readonly BatchRow[] {
  return now.filter((row, index) => {
    const known = before[index];
    return known === undefined ? row.state !== 'waiting' : known.state !== row.state || known.outcome !== row.outcome;
  });
}

export function rowLine({ runId, title, error, ...row }: BatchRow): string {
  const why = error === null || row.outcome === 'merge_ready' ? '' : ` (${error})`;
  return foreign(`${runId}  ${wordOf(row)}${why}  ${title}`);
}

/** `rows`: at most this many lines; open and failed ones come before finished and waiting ones. */
export function tableLines(
  view: BatchView,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): readonly string[] {
  const width = Math.max(6, ...view.rows.map((row) => wordOf(row).length));
  const ids = Math.max(3, ...view.rows.map(({ runId }) => runId.length));
  const shown =
    view.rows.length <= rows ? view.rows : view.rows.toSorted((a, b) => weightOf(a) - weightOf(b)).slice(0, rows);
  const lines = shown.map((row) => {
    const start = `${row.runId.padEnd(ids)}  ${wordOf(row).padEnd(width)}  `;
    return `${start}${row.title}`.slice(0, Math.max(20, columns));
  });
  const hidden = view.rows.length - shown.length;
  return [
    `${'RUN'.padEnd(ids)}  ${'STATE'.padEnd(width)}  TASK`,
    ...lines,
    ...(hidden === 0 ? [] : [`… and ${hidden} more`]),
  ].map(foreign);
}

export function sumLine({ rows, aborted }: BatchView): string {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(wordOf(row), (counts.get(wordOf(row)) ?? 0) + 1);
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return `${rows.length} ${rows.length === 1 ? 'task' : 'tasks'}: ${parts.join(', ')}${aborted ? '; aborted' : ''}`;
}

/** A skipped run that is known to have failed counts as it ended. */
export function exitCodeOfBatch({ rows }: BatchView): ExitCode {
  if (rows.some(({ outcome, state }) => outcome === 'failed' || state === 'refused')) return EXIT.failed;
  const open = rows.some(
    ({ outcome, state }) => state === 'not_started' || (outcome !== null && outcome !== 'merge_ready'),
  );
  return open ? EXIT.needsPerson : EXIT.done;
}

/** What visibility knows of runs that the batch skipped: one list for all of them. */
export function withKnownOutcomes(view: BatchView, runs: readonly ListedRun[]): BatchView {
  const known = new Map(runs.map((run) => [run.workflowId, run]));
  const rows = view.rows.map((row) => {
    const run = row.state === 'skipped' ? known.get(row.runId) : undefined;
    return run === undefined ? row : { ...row, outcome: outcomeOf(run.status), branch: run.branch };
  });
  return { ...view, rows };
}

function outcomeOf(status: RunStatus | null): BatchRow['outcome'] {
  if (status === null || !isTerminal(status)) return null;
  return OUTCOMES.find((outcome) => outcome === status) ?? null;
}

const OUTCOMES = ['merge_ready', 'blocked', 'failed', 'aborted'] as const;

function wordOf({ state, outcome, blockedReason }: Pick<BatchRow, 'state' | 'outcome' | 'blockedReason'>): string {
  const word =
    outcome === null ? state.replace('_', ' ') : blockedReason === null ? outcome : `${outcome}: ${blockedReason}`;
  return state === 'skipped' && outcome !== null ? `skipped, ${word}` : word;
}

function weightOf({ state, outcome }: BatchRow): number {
  if (state === 'running') return 0;
  if (state === 'refused' || outcome === 'failed') return 1;
  if (state === 'ended') return outcome === 'merge_ready' ? 3 : 2;
  return state === 'waiting' ? 4 : 5;
}
