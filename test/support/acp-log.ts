/** What the scripted ACP agent noted, and what our client printed: one JSON object a line. */
import { existsSync, readFileSync } from 'node:fs';

export type LoggedLine = Readonly<Record<string, unknown>>;

/** None where the file is not there yet. */
export function readLines(path: string): readonly LoggedLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  // Written by our own client and agent.
  return lines.map((line) => JSON.parse(line) as LoggedLine);
}
