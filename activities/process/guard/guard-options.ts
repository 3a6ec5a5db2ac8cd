/** The options that a worker gives the guard it starts, as one JSON argument. No secret may be among them: an argument list is public. */

import { isRecord } from '../../../protocol/text/json.js';
import type { GuardOptions } from './run-guard.js';

export function readGuardOptions(argument: string | undefined): Omit<GuardOptions, 'failpoint'> {
  const value: unknown = JSON.parse(argument ?? 'null');
  if (!isRecord(value) || typeof value.home !== 'string' || typeof value.orphanGraceMs !== 'number') {
    throw new Error('the guard is started by sluice itself: its options are missing');
  }
  return {
    home: value.home,
    orphanGraceMs: value.orphanGraceMs,
    durability: value.durability === 'power' ? 'power' : 'process',
    ...(typeof value.idleGraceMs === 'number' ? { idleGraceMs: value.idleGraceMs } : {}),
    ...(typeof value.version === 'number' ? { version: value.version } : {}),
  };
}
