/** Refuses what nobody can look up: the id of a requirement that no page of docs/requirements has, and one that two rows have. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readRequirementPages, rowsOf } from './requirement-pages.js';

const FOLDERS = ['protocol', 'config', 'wire', 'workflows', 'activities', 'worker', 'client', 'bench', 'tools', 'test', 'examples', 'docs'];

/** Its texts are wrong citations on purpose. */
const DATA = 'test/unit/tools/';

const ROW_ID = /\b[A-Z]-\d{2,3}\b/g;

/** What a file may cite. */
export interface Known {
  readonly rows: ReadonlySet<string>;
}

export interface Citations {
  readonly rows: number;
  /** One sentence each. */
  readonly faults: readonly string[];
}

/** All citations of a file. */
export function citationsOf(file: string, text: string, known: Known): Citations {
  const rows = [...text.matchAll(ROW_ID)].map(([row]) => row);
  const unknown = [...new Set(rows)].filter((row) => !known.rows.has(row));
  return { rows: rows.length, faults: unknown.map((row) => `${file} names ${row}, which no page of docs/requirements has`) };
}

/** Ids that two rows have. */
export function doubledIn(rows: readonly string[]): readonly string[] {
  return [...new Set(rows.filter((row, index) => rows.indexOf(row) !== index))];
}

function textsOf(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((file) => /\.(?:ts|mjs|md)$/.test(file) && !file.startsWith(DATA));
}

if (process.argv[1]?.endsWith('check-citations.ts') === true) {
  const rows = readRequirementPages().flatMap(rowsOf);
  const files = [...FOLDERS.flatMap(textsOf), ...readdirSync('.').filter((name) => name.endsWith('.md')), 'docs/conformance.json'];
  const found = files.map((file) => citationsOf(file, readFileSync(file, 'utf8'), { rows: new Set(rows) }));
  const faults = [...doubledIn(rows).map((row) => `docs/requirements has two rows ${row}`), ...found.flatMap((one) => one.faults)];
  for (const fault of faults) console.error(fault);
  console.log(`${found.reduce((sum, one) => sum + one.rows, 0)} ids of rows are cited; ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
