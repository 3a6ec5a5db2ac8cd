/** The guard of a home that started last, by its own log. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function guardPid(home: string): number {
  const lines = readFileSync(join(home, 'guard.log'), 'utf8').trim().split('\n');
  const started = lines.map((line): unknown => JSON.parse(line)).filter(isStarted);
  return started.at(-1)?.guard ?? 0;
}

function isStarted(line: unknown): line is { guard: number } {
  return typeof line === 'object' && line !== null && 'sentence' in line && line.sentence === 'started' && 'guard' in line;
}
