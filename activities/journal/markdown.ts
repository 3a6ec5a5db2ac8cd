/** Pieces of Markdown for report.md, from text that nobody vouches for: one line stays one line, and a code span ends where it should. Pure. */
import { printableLine } from '../../protocol/text/printable.js';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${printableLine(line)}`).join('\n');
}

export function block(lines: readonly string[]): string {
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}

export function quote(text: string): string {
  return text.trim().replace(/^/gm, '> ');
}

/** A code span may hold any text if its fence is longer than every run of backticks inside. */
export function code(text: string): string {
  const line = printableLine(text);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}

export function field(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? printableLine(String(value)) : '';
}

export function short(sha: string | null): string {
  return sha === null ? 'unknown' : sha.slice(0, 10);
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
}
