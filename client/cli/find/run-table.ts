/**
 * Runs as a table: one line each, never wider than the terminal, columns left out before a title is cut to nothing. In a pipe the same cells, whole and
 * with tabs between them. Pure; foreign text is made printable here.
 */
import type { ListedRun } from '../../calls/listed-run.js';
import { retryText } from '../../calls/retrying.js';
import { age } from '../../views/local-time.js';
import { stateWord, whereText } from '../../views/run-status.js';
import { foreign, type Io } from '../terminal/io.js';
import { type Cells, renderTable, type TableShape } from '../terminal/table.js';

const HEADS = { run: 'RUN', state: 'STATE', where: 'AT', age: 'AGE', cost: 'COST', title: 'TITLE' } as const;

type Column = keyof typeof HEADS;

const LAYOUTS: readonly (readonly Column[])[] = [
  ['run', 'state', 'where', 'age', 'cost', 'title'],
  ['run', 'state', 'where', 'age', 'title'],
  ['run', 'state', 'age', 'title'],
  ['run', 'state', 'title'],
];

export function renderRuns(
  runs: readonly ListedRun[],
  { columns, colors }: Pick<Io, 'columns' | 'colors'>,
  now = Date.now(),
): string {
  const isWorth = (column: Column) => column !== 'cost' || runs.some(({ costMicroUsd }) => costMicroUsd !== null);
  const shape: TableShape<Column> = {
    heads: HEADS,
    layouts: LAYOUTS.map((layout) => layout.filter(isWorth)),
    rest: 'title',
    most: { run: 36, where: 26 },
    paint: (column, text) => (column === 'state' ? paint(text, colors) : (shown) => shown),
  };
  return renderTable(
    shape,
    runs.map((run) => cellsOf(run, now)),
    columns(),
  );
}

/** One line each: id, state, where it is, since when (ISO 8601), cost, title. */
export function plainRows(runs: readonly ListedRun[]): readonly string[] {
  return runs.map((run) => {
    const { run: id, state, where, cost, title } = cellsOf(run, 0);
    return [id, state, where, sinceOf(run), cost, title].join('\t');
  });
}

function cellsOf(run: ListedRun, now: number): Cells<Column> {
  return {
    run: foreign(run.runId),
    state: stateWord(run),
    where: whereText(run),
    age: age(now - Date.parse(sinceOf(run))),
    cost: run.costMicroUsd === null ? '' : `$${(run.costMicroUsd / 1_000_000).toFixed(2)}`,
    title: foreign(titleText(run)),
  };
}

/** What a person should see first: why nothing was started, or what fails again and again. */
function titleText(run: ListedRun): string {
  if (run.refused) return `why: sluice watch ${run.runId}`;
  return [...(run.retrying === null ? [] : [retryText(run.retrying)]), ...(run.title === null ? [] : [run.title])].join(
    ' · ',
  );
}

function sinceOf(run: ListedRun): string {
  return run.since ?? run.closedAt ?? run.startedAt;
}

function paint(state: string, colors: Io['colors']): (text: string) => string {
  if (state === 'ready' || state === 'merged') return colors.green;
  if (state === 'failed' || state === 'refused') return colors.red;
  return state === 'blocked' || state === 'aborted' || state === 'waits' ? colors.yellow : (text) => text;
}
