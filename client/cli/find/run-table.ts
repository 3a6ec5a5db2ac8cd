/**
 * Runs as a table: one line each, never wider than the terminal, columns left out before a title is cut to nothing. In a pipe the same cells, whole and
 * with tabs between them. Pure; foreign text is made printable here.
 */
import stringWidth from 'string-width';
import type { ListedRun } from '../../calls/listed-run.js';
import { retryText } from '../../calls/retrying.js';
import { padTo, truncate } from '../terminal/columns.js';
import { foreign, type Io } from '../terminal/io.js';
import { age } from '../terminal/local-time.js';
import { stateWord, whereText } from './run-status.js';

const HEADS = { run: 'RUN', state: 'STATE', where: 'AT', age: 'AGE', cost: 'COST', title: 'TITLE' } as const;

type Column = keyof typeof HEADS;
type Cells = Readonly<Record<Column, string>>;

/** From the widest to the narrowest. */
const LAYOUTS: readonly (readonly Column[])[] = [
  ['run', 'state', 'where', 'age', 'cost', 'title'],
  ['run', 'state', 'where', 'age', 'title'],
  ['run', 'state', 'age', 'title'],
  ['run', 'state', 'title'],
];

const LEAST_TITLE = 16;
const MOST: Readonly<Partial<Record<Column, number>>> = { run: 36, where: 26 };
const GAP = 2;

export function renderTable(
  runs: readonly ListedRun[],
  { columns, colors }: Pick<Io, 'columns' | 'colors'>,
  now = Date.now(),
): string {
  const rows = [HEADS, ...runs.map((run) => cellsOf(run, now))];
  const width = columns() - 1;
  const widthOf = (column: Column) =>
    Math.min(MOST[column] ?? width, Math.max(...rows.map((cells) => stringWidth(cells[column]))));
  const isWorth = (column: Column) => column !== 'cost' || runs.some(({ costMicroUsd }) => costMicroUsd !== null);
  const layouts = LAYOUTS.map((layout) => layout.filter(isWorth));
  const restOf = (layout: readonly Column[]) =>
    layout.reduce((left, column) => left - (column === 'title' ? 0 : widthOf(column) + GAP), width);
  const layout = layouts.find((columnsOf) => restOf(columnsOf) >= LEAST_TITLE) ?? ['run', 'state'];
  const lines = rows.map((cells, index) => {
    const texts = layout.map((column) => {
      const room = column === 'title' ? restOf(layout) : widthOf(column);
      const text = padTo(truncate(cells[column], room), room);
      return index > 0 && column === 'state' ? paint(cells.state, colors)(text) : text;
    });
    return texts.join(' '.repeat(GAP)).trimEnd();
  });
  // On the narrowest terminals even an id does not fit.
  return layout.includes('title')
    ? lines.join('\n')
    : rows.map(({ run, state }) => truncate(`${state} ${run}`, width)).join('\n');
}

/** One line each: id, state, where it is, since when (ISO 8601), cost, title. */
export function plainRows(runs: readonly ListedRun[]): readonly string[] {
  return runs.map((run) => {
    const { run: id, state, where, cost, title } = cellsOf(run, 0);
    return [id, state, where, sinceOf(run), cost, title].join('\t');
  });
}

function cellsOf(run: ListedRun, now: number): Cells {
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
