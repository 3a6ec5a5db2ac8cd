/**
 * Things as a table: one line each, never wider than the terminal; columns are left out before a title is cut to nothing. Pure: cells are printable text.
 */
import stringWidth from 'string-width';
import { padTo, truncate } from './columns.js';

export type Cells<Column extends string> = Readonly<Record<Column, string>>;

export interface TableShape<Column extends string> {
  readonly heads: Cells<Column>;
  /** From the widest to the narrowest. The first two columns are what it comes down to. */
  readonly layouts: readonly (readonly Column[])[];
  /** Takes what room is left. */
  readonly rest: Column;
  /** Columns that are cut at a width of their own. */
  readonly most: Readonly<Partial<Record<Column, number>>>;
  /** How a cell of a row is painted. */
  readonly paint: (column: Column, text: string) => (shown: string) => string;
}

const LEAST_REST = 16;
const GAP = 2;

/** `width`: of the terminal. */
export function renderTable<Column extends string>(
  { heads, layouts, rest, most, paint }: TableShape<Column>,
  cells: readonly Cells<Column>[],
  width: number,
): string {
  const rows = [heads, ...cells];
  const room = width - 1;
  const widthOf = (column: Column) =>
    Math.min(most[column] ?? room, Math.max(...rows.map((row) => stringWidth(row[column]))));
  const restOf = (layout: readonly Column[]) =>
    layout.reduce((left, column) => left - (column === rest ? 0 : widthOf(column) + GAP), room);
  const layout = layouts.find((columns) => restOf(columns) >= LEAST_REST);
  if (layout === undefined) {
    // On the narrowest terminals even an id does not fit.
    const [first, second] = layouts[0] ?? [rest, rest];
    return rows
      .map((row) => truncate([second, first].map((at) => (at === undefined ? '' : row[at])).join(' '), room))
      .join('\n');
  }
  return rows
    .map((row, index) => {
      const texts = layout.map((column) => {
        const own = column === rest ? restOf(layout) : widthOf(column);
        const text = padTo(truncate(row[column], own), own);
        return index === 0 ? text : paint(column, row[column])(text);
      });
      return texts.join(' '.repeat(GAP)).trimEnd();
    })
    .join('\n');
}
