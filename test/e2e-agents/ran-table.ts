/** The table of what really ran, made from the notes of the tests; a CLI that is missing from it ran nothing. */
import Table from 'cli-table3';
import type { CliName } from './agent-clis.js';

export interface Ran {
  readonly cli: CliName;
  readonly case: string;
  /** Requests that the provider saw from it in this case. */
  readonly calls: number;
}

export interface Row {
  readonly cli: CliName;
  /** What the program itself says. */
  readonly version: string;
}

export function parseRan(text: string): readonly Ran[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Ran); // Ours, from the tests.
}

export function ranTable(rows: readonly Row[], ran: readonly Ran[]): string {
  const table = new Table({
    head: ['CLI', 'version', 'cases', 'calls', 'what ran'],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [14, 28, 8, 8, 78],
  });
  for (const { cli, version } of rows) {
    const own = ran.filter((one) => one.cli === cli);
    table.push([
      cli,
      version,
      own.length,
      own.reduce((sum, { calls }) => sum + calls, 0),
      own.map((one) => `${one.case} (${one.calls})`).join(', '),
    ]);
  }
  return table.toString();
}

/** What did not run although it had to; empty: all did. */
export function missingFrom(
  rows: readonly Row[],
  ran: readonly Ran[],
  casesOf: (cli: CliName) => readonly string[],
): readonly string[] {
  return rows.flatMap(({ cli }) =>
    casesOf(cli)
      .filter((name) => !ran.some((one) => one.cli === cli && one.case === name))
      .map((name) => `${cli}: ${name}`),
  );
}
