/** The guard of a home that started last, by its own log; 0 where none ever did. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function guardPid(home: string): number {
  const log = join(home, 'guard.log');
  if (!existsSync(log)) return 0;
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const started = lines.map((line): unknown => JSON.parse(line)).filter(isStarted);
  return started.at(-1)?.guard ?? 0;
}

function isStarted(line: unknown): line is { guard: number } {
  return (
    typeof line === 'object' && line !== null && 'sentence' in line && line.sentence === 'started' && 'guard' in line
  );
}
