/** What the scripted ACP agent noted, and what our client printed: one JSON object a line. */
import { existsSync, readFileSync } from 'node:fs';

export type LoggedLine = Readonly<Record<string, unknown>>;

/** None where the file is not there yet; a line that is still being written is not read. */
export function readLines(path: string): readonly LoggedLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '');
  // Written by our own client and agent.
  return lines.map((line) => JSON.parse(line) as LoggedLine);
}
