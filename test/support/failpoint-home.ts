/** A home whose worker or guard dies at a failpoint: the order in it, the entry that obeys, and the sign that it fired. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FailpointName } from '../../protocol/failpoints.js';

export const WORKER_WITH_FAILPOINT = fileURLToPath(new URL('../chaos/worker-with-failpoint.mjs', import.meta.url));

export interface FailpointOrder {
  readonly name: FailpointName;
  /** Which call of it, from 1. */
  readonly nth: number;
}

export function armFailpoint(home: string, order: FailpointOrder): void {
  writeFileSync(join(home, 'failpoint.json'), JSON.stringify(order));
}

/** The name that fired, or null; also while its line is not whole yet, since a file is there before what is written in it. */
export function firedFailpoint(home: string): string | null {
  const path = join(home, 'fired');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text.endsWith('\n') ? text.trim() : null;
}
