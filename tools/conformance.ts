/**
 * Which row of docs/requirements is shown by which test: read from jest's own results, so that a row counts only if its test passed.
 * A title names its rows first (`V-10, V-11: …`), at most three. A row with parts (row-parts.ts) counts only where each of them is shown.
 */
import { readFileSync } from 'node:fs';
import { isShown, shownParts } from './row-parts.js';

export const CONFORMANCE_FILE = 'docs/conformance.json';

export interface ConformanceRow {
  readonly row: string;
  readonly file: string;
  readonly title: string;
}

/** The part of jest's `--json` output that is read. */
export interface JestResults {
  /** Files that were red and taken once more: they show nothing. Missing: there are none. */
  readonly takenTwice?: readonly string[];
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

export interface Conformance {
  /** From the root. */
  readonly flaky: readonly string[];
  readonly rows: readonly ConformanceRow[];
  /** One sentence each. */
  readonly problems: readonly string[];
}

const MAX_ROWS = 3;
const TITLE = /^((?:[A-Z]{1,2}-\d{2,3})(?:, [A-Z]{1,2}-\d{2,3})*): \S/;

/** `known`: the rows that docs/requirements has. */
export function conformanceOf(
  results: JestResults,
  { root, known }: { root: string; known: ReadonlySet<string> },
): Conformance {
  const fromRoot = (name: string) => (name.startsWith(`${root}/`) ? name.slice(root.length + 1) : name);
  const flaky = (results.takenTwice ?? []).map(fromRoot);
  const rows: ConformanceRow[] = [];
  const problems: string[] = [];
  for (const { name, assertionResults } of results.testResults) {
    const file = fromRoot(name);
    if (!file.startsWith('test/conformance/')) continue;
    for (const { title, status } of assertionResults) {
      const named = TITLE.exec(title)?.[1]?.split(', ') ?? [];
      if (named.length === 0)
        problems.push(`${file}: "${title}" names no row; begin the title with one, as in "V-10: …".`);
      if (named.length > MAX_ROWS)
        problems.push(`${file}: "${title}" names ${named.length} rows; a test shows at most ${MAX_ROWS}.`);
      const unknown = named.filter((row) => !known.has(row));
      if (unknown.length > 0)
        problems.push(`${file}: "${title}" names ${unknown.join(', ')}, which no page of docs/requirements has.`);
      if (status === 'passed' && !flaky.includes(file)) rows.push(...named.map((row) => ({ row, file, title })));
    }
  }
  return { rows: rows.sort(inOrder), flaky, problems };
}

export function readConformance(): readonly ConformanceRow[] {
  // Written by write-conformance alone; check-conformance.ts refuses a hand-made change.
  return (JSON.parse(readFileSync(CONFORMANCE_FILE, 'utf8')) as { shown: readonly ConformanceRow[] }).shown;
}

/** The text of docs/conformance.json. */
export function renderConformance(rows: readonly ConformanceRow[]): string {
  const counts = {
    rows: [...new Set(rows.map(({ row }) => row))].filter((row) => isShown(row, rows)).length,
    tests: new Set(rows.map(({ file, title }) => `${file}\n${title}`)).size,
  };
  return `${JSON.stringify({ ...counts, parts: shownParts(rows), shown: rows }, null, 2)}\n`;
}

function inOrder(a: ConformanceRow, b: ConformanceRow): number {
  const keys = ({ row, file, title }: ConformanceRow) => {
    const [letters = '', number = ''] = row.split('-');
    return [letters, number.padStart(4, '0'), file, title].join('\n');
  };
  return keys(a) < keys(b) ? -1 : keys(a) > keys(b) ? 1 : 0;
}
