/**
 * The generated parts of docs/security.md: every row has an id that stays, and the rows of what an agent can do name the tries of `npm run attack` that
 * carry it out. A new row is written without an id and gets the next one of its section; all else of the page stays as it is.
 */
import { readFileSync } from 'node:fs';
import { NOT_TRIED } from '../test/attack/not-tried.js';
import { TRIES } from '../test/attack/tries.js';
import { rowOf } from '../test/attack/try.js';

export const SECURITY_PAGE = 'docs/security.md';

/** By the heading; what is not in a table of attacks has none. */
const SECTIONS: Readonly<Record<string, string>> = {
  'The repository': 'R',
  'Text and files that are read': 'T',
  'The page': 'W',
  'The agent': 'A',
  'The machine around it': 'M',
  'An agent or a check inside the sandbox': 'S',
  'Only a sandbox can stop': 'O',
  'Not covered': 'N',
};

/** Whose rows tell what an agent does: each has a try, or the reason why it has none. */
export const TRIED_SECTIONS: ReadonlySet<string> = new Set(['A', 'S', 'O', 'N']);

/** The id of a row, `| **S1** writes …`, or of a point, `- **N1 Memory …**`. */
const ID = /^(?:\| \*\*|- \*\*)([A-Z]\d+)(?:\*\*)? /;

/** At the end of a row, and as the last line of a point. */
const AT_THE_END = / · (?:tries|no try): [^|]*(?= \|$)/;
const BELOW = /^ {2}(?:Tries|No try): /;

export function renderSecurity(): string {
  const lines = readFileSync(SECURITY_PAGE, 'utf8')
    .split('\n')
    .filter((line) => !BELOW.test(line));
  const nextId = numberFrom(lines);
  const page: string[] = [];
  let section = '';
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('## ')) section = SECTIONS[line.slice(3)] ?? '';
    const id = section !== '' && isRow(line) ? (ownId(line, page) ?? nextId(section)) : null;
    page.push(id === null ? line : withId(line, id));
    const point = section === 'N' ? lastOfPoint(page, lines[at + 1]) : null;
    if (point !== null) page.push(`  ${capital(triedBy(point))}.`);
  }
  return page.join('\n');
}

/** Counts on from the highest number of each section, so that an id that is gone does not come back while a later one stays. */
function numberFrom(lines: readonly string[]): (section: string) => string {
  const highest = new Map<string, number>();
  const note = (id: string) => highest.set(id.charAt(0), Math.max(highest.get(id.charAt(0)) ?? 0, Number(id.slice(1))));
  for (const line of lines) if (idOf(line) !== null) note(idOf(line) ?? '');
  return (section) => {
    const id = `${section}${(highest.get(section) ?? 0) + 1}`;
    note(id);
    return id;
  };
}

/** Null for a row without one, and for one that has the id of a row above: two people took the same. */
function ownId(line: string, above: readonly string[]): string | null {
  const id = idOf(line);
  return above.some((each) => isRow(each) && idOf(each) === id) ? null : id;
}

function isRow(line: string): boolean {
  return line.startsWith('- **') || (line.startsWith('| ') && !line.startsWith('| attack |'));
}

function idOf(line: string): string | null {
  return ID.exec(line)?.[1] ?? null;
}

function withId(line: string, id: string): string {
  const bare = line.replace(ID, line.startsWith('|') ? '| ' : '- **').replace(AT_THE_END, '');
  if (!line.startsWith('|')) return bare.replace('- **', `- **${id} `);
  const tried = TRIED_SECTIONS.has(id.charAt(0)) || namesTry(id) ? ` · ${triedBy(id)}` : '';
  return `| **${id}** ${bare.slice(2).replace(/ \|$/, `${tried} |`)}`;
}

/** The id of the point that the page ends with so far, where nothing of it follows. */
function lastOfPoint(page: readonly string[], next = ''): string | null {
  if (next.startsWith('  ')) return null;
  const last = page.at(-1) ?? '';
  const first = page.findLast((line) => !line.startsWith('  ')) ?? '';
  return last.startsWith('  ') || last === first ? idOf(first) : null;
}

function namesTry(id: string): boolean {
  return triesOf(id).length > 0;
}

function triesOf(id: string): readonly string[] {
  return TRIES.filter(({ inside, outside }) => [inside, outside].some((one) => one !== null && rowOf(one) === id)).map(
    (one) => one.id,
  );
}

function triedBy(id: string): string {
  const tries = triesOf(id);
  return tries.length > 0
    ? `tries: ${tries.map((one) => `\`${one}\``).join(', ')}`
    : `no try: ${NOT_TRIED[id] ?? 'MISSING'}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The ids of all rows and points of the page, in order. */
export function securityRows(): readonly string[] {
  return readFileSync(SECURITY_PAGE, 'utf8')
    .split('\n')
    .flatMap((line) => (isRow(line) ? [idOf(line) ?? `no id: ${line}`] : []));
}
