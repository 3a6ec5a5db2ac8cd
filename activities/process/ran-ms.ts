/** How long a command ran. A guard measures it by a clock that nobody can set; records of older guards have only the times of day. Unit: ms. */
import type { ExitRecord } from './contract.js';

export function ranMsOf({ ranMs, startedAt, endedAt }: Pick<ExitRecord, 'ranMs' | 'startedAt' | 'endedAt'>): number {
  return ranMs ?? Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}
