/**
 * Refuses what nobody can look up: the id of a requirement that no page of docs/requirements has, a page, heading, file or folder that is not there,
 * words that cite a page without its path, and a path of some machine. A page is cited as `docs/<page>.md`, or `docs/<page>.md "<Heading>"`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readRequirementPages, rowsOf } from './requirement-pages.js';

const FOLDERS = [
  'protocol',
  'config',
  'wire',
  'workflows',
  'activities',
  'worker',
  'client',
  'page',
  'bench',
  'tools',
  'test',
  'examples',
  'docs',
];

/** Its texts are wrong citations on purpose. */
const DATA = 'test/unit/tools/';

const ROW_ID = /\b[A-Z]-\d{2,3}\b/g;
const COMMENT = /^\s*(?:\/\*\*|\*|\/\/).*$|[;{,)] \/\/ .*$/gm;
const LINK = /\]\(([^()\s]+)\)/g;

/** A page by its path, or one of those that a design is told in, without a path; perhaps with a heading or a section's number. */
const PAGE =
  /(?<![\w./@<>*{}-])((?:[a-z][\w-]*\/)+[\w.-]+\.md|(?:design|spec|style|guide|house)\.md)(?:,? "([^"]+)"|,? (section \d+))?/g;
const PATHLESS = /\b(?:design|spec|specification|guide),? (?:section \d+|§ ?\d+|"[^"]+")/g;
const MACHINE = /(?<![\w.~$}>/-])\/(?:home|Users|root|tmp|mnt|workspace|work|opt)\/[\w./-]*\w/g;

/** What a page names as code of the repository. */
const NAMED = new RegExp(`\`((?:${FOLDERS.join('|')})/[\\w./-]*)\``, 'g');

/** What a file may cite. */
export interface Known {
  readonly rows: ReadonlySet<string>;
  /** Null: the repository has no such file or folder. What is no page has no headings. */
  readonly headingsOf: (path: string) => readonly string[] | null;
}

export interface Citations {
  readonly rows: number;
  readonly pages: number;
  /** One sentence each. */
  readonly faults: readonly string[];
}

/** All citations of a file: of code those in comments; of a page whatever it names or links to. */
export function citationsOf(file: string, text: string, known: Known): Citations {
  const isPage = file.endsWith('.md');
  const told = isPage ? withoutFences(text) : commentsOf(text);
  const rows = [...text.matchAll(ROW_ID)].map(([row]) => row);
  const links = isPage
    ? [...told.matchAll(LINK)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target))
    : [];
  const cited = [...told.replace(LINK, ']').matchAll(PAGE)];
  const named = isPage ? [...told.matchAll(NAMED)].map(([, path = '']) => path) : [];
  const pathless = [...told.matchAll(PATHLESS)];
  const machines = [...(isPage ? text : told).matchAll(MACHINE)];
  return {
    rows: rows.length,
    pages: links.length + cited.length + pathless.length,
    faults: [
      ...[...new Set(rows)]
        .filter((row) => !known.rows.has(row))
        .map((row) => `${file} names ${row}, which no page of docs/requirements has`),
      ...links.flatMap((target) => faultOfLink(file, target, known)),
      ...cited.flatMap(([words, page = '', heading, section]) =>
        faultOfPage(file, { words, page, heading, section }, known),
      ),
      ...named
        .filter((path) => !path.endsWith('.md') && known.headingsOf(path) === null)
        .map((path) => `${file} names ${path}, which is not in the repository`),
      ...pathless.map(([words]) => `${file} cites ${words} without the path of a page`),
      ...machines.map(([path]) => `${file} names ${path}, a path of some machine`),
    ],
  };
}

/** Ids that two rows have. */
export function doubledIn(rows: readonly string[]): readonly string[] {
  return [...new Set(rows.filter((row, index) => rows.indexOf(row) !== index))];
}

/** The headings of a page, without their marks. */
export function headingsIn(page: string): readonly string[] {
  return [...withoutFences(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading.replaceAll('`', '').trim(),
  );
}

interface PageCitation {
  readonly words: string;
  readonly page: string;
  readonly heading: string | undefined;
  readonly section: string | undefined;
}

function faultOfPage(file: string, { words, page, heading, section }: PageCitation, known: Known): readonly string[] {
  const headings = known.headingsOf(page);
  if (headings === null) return [`${file} cites ${page}, which is not in the repository`];
  if (section !== undefined) return [`${file} cites ${words}; name the heading, for numbers move`];
  return heading === undefined || headings.includes(heading)
    ? []
    : [`${file} cites ${words}, a heading that the page does not have`];
}

function faultOfLink(file: string, target: string, known: Known): readonly string[] {
  const [path = '', anchor = ''] = target.split('#');
  const headings = known.headingsOf(path === '' ? file : join(dirname(file), path));
  if (headings === null) return [`${file} links to ${target}, which is not in the repository`];
  return anchor === '' || headings.map(anchorOf).includes(anchor)
    ? []
    : [`${file} links to ${target}, a heading that the page does not have`];
}

/** As forges make them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function commentsOf(source: string): string {
  return [...source.matchAll(COMMENT)].map(([comment]) => comment).join('\n');
}

function withoutFences(page: string): string {
  return page.replace(/^ *```[\s\S]*?^ *```/gm, '');
}

function textsOf(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((file) => /\.(?:tsx?|mjs|cjs|css|md)$/.test(file) && !file.startsWith(DATA));
}

function readHeadings(path: string): readonly string[] | null {
  if (!existsSync(path)) return null;
  return path.endsWith('.md') ? headingsIn(readFileSync(path, 'utf8')) : [];
}

if (process.argv[1]?.endsWith('check-citations.ts') === true) {
  const rows = readRequirementPages().flatMap(rowsOf);
  const files = [
    ...FOLDERS.flatMap(textsOf),
    ...readdirSync('.').filter((name) => name.endsWith('.md')),
    'docs/conformance.json',
  ];
  const found = files.map((file) =>
    citationsOf(file, readFileSync(file, 'utf8'), { rows: new Set(rows), headingsOf: readHeadings }),
  );
  const faults = [
    ...doubledIn(rows).map((row) => `docs/requirements has two rows ${row}`),
    ...found.flatMap((one) => one.faults),
  ];
  const [ids, pages] = [found.reduce((sum, one) => sum + one.rows, 0), found.reduce((sum, one) => sum + one.pages, 0)];
  for (const fault of faults) console.error(fault);
  console.log(`${ids} ids of rows and ${pages} pages are cited; ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
