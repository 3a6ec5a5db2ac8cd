/** Text that nobody vouches for, for a page of Markdown: it stays where it is put, and is neither a picture nor HTML there. Pure. */
import { printableLine } from '../text/printable.js';

/** One line, also in the cell of a table. Source: GFM "Tables (extension)": a backslash keeps a pipe in its cell, unless it is escaped itself. */
export function escapeLine(text: string): string {
  return printableLine(text).replace(/[\\`*_[\]<>|~&]/g, '\\$&');
}

export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const write = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [write(head), write(head.map(() => '---')), ...rows.map((cells) => write(cells.map(escapeLine)))].join('\n');
}

/** Lines as they are, each on one line, in a fence that is longer than any in them. */
export function writeBlock(lines: readonly string[]): string {
  const text = lines.map(printableLine).join('\n');
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}
