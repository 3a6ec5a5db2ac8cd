/** Tasks as a table for a terminal, and as lines with tabs for a pipe. Pure; foreign text is made printable here. */
import { type SkepFacts, type SkepStatus, type StatusView, skepStatus } from '../../../protocol/views/skep-status.js';
import type { ListedItem } from '../../calls/backlog-calls.js';
import { age } from '../../views/local-time.js';
import { foreign, type Io } from '../terminal/io.js';
import { type Cells, renderTable, type TableShape } from '../terminal/table.js';

const HEADS = { task: 'TASK', state: 'STATE', run: 'RUN', age: 'AGE', title: 'TITLE' } as const;

type Column = keyof typeof HEADS;

/** Of whom the words are, and when it is. Unit: ms since 1970. */
export interface ItemForm {
  readonly view: StatusView;
  readonly now: number;
}

const LAYOUTS: readonly (readonly Column[])[] = [
  ['task', 'state', 'run', 'age', 'title'],
  ['task', 'state', 'age', 'title'],
  ['task', 'state', 'title'],
];

export function renderItems(
  items: readonly ListedItem[],
  { columns, colors }: Pick<Io, 'columns' | 'colors'>,
  form: ItemForm,
): string {
  const shape: TableShape<Column> = {
    heads: HEADS,
    layouts: LAYOUTS,
    rest: 'title',
    most: { task: 24, state: 28, run: 36 },
    paint: (column, text) => (column === 'state' ? paint(text, colors) : (shown) => shown),
  };
  return renderTable(
    shape,
    items.map((item) => cellsOf(item, form)),
    columns(),
  );
}

/** One line each: id, state, run, when it was created (ISO 8601), title. */
export function plainItems(items: readonly ListedItem[], view: StatusView): readonly string[] {
  return items.map((item) => {
    const { task, state, run, title } = cellsOf(item, { view, now: 0 });
    return [task, state, run, item.startedAt, title].join('\t');
  });
}

function cellsOf(item: ListedItem, { view, now }: ItemForm): Cells<Column> {
  const { project, id, run, startedAt, title } = item;
  return {
    task: foreign(`${project}-${id}`),
    state: wordsOf(item, view),
    run: foreign(run ?? ''),
    age: age(now - Date.parse(startedAt)),
    title: foreign(title ?? ''),
  };
}

/** What people read of a state. */
export function wordsOf(facts: SkepFacts, view: StatusView = 'engine'): string {
  if (view === 'skep') return skepStatus(facts);
  const { state, reason, head = null, isHeld = false, waits = null } = facts;
  if (head === 'ready' || head === 'landing') return head;
  if (isHeld) return `${state}: paused`;
  if (state === 'running' && waits !== null)
    return `running: waits for ${waits === 'person' ? 'a person' : 'its account'}`;
  if (reason === null) return state;
  const why = reason.replaceAll('_', ' ');
  return state === 'closed' ? why : `${state}: ${why}`;
}

/** For programs, beside the engine's own: the word of the other view. Null: there is no other. */
export function viewWord(facts: SkepFacts, view: StatusView): SkepStatus | null {
  return view === 'skep' ? skepStatus(facts) : null;
}

function paint(state: string, colors: Io['colors']): (text: string) => string {
  if (['merged', 'ready', 'running', 'done', 'executing'].includes(state)) return colors.green;
  return /^(?:parked|gated|pending|failed|interrupted|.*: paused|.*: waits)/.test(state)
    ? colors.yellow
    : (text) => text;
}
