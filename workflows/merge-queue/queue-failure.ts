/** What a merge queue hears of work on its base that failed. Pure. */
import { type ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isForgeQueue, type QueueRef } from '../../protocol/actors/merge-queue.js';
import { FAILURES } from '../../protocol/failures.js';
import { readAbsence } from '../actor/away-host.js';
import type { BaseErrand, QueueEvent } from './queue-state.js';

/** `queue`: one of a forge has many clones, one of a repository that very one. */
export function failureOf(
  queue: QueueRef,
  { kind, entry: { id } }: Pick<BaseErrand, 'kind' | 'entry'>,
  error: ActivityFailure,
): QueueEvent {
  const absence = readAbsence(error);
  // A check moves no base, nor does what nobody began.
  const isUnsure = kind === 'land' && absence !== null && absence.failure !== null;
  if (absence !== null) return { kind: 'away', id, ...absence, isUnsure };
  const why = error.cause?.message ?? error.message;
  // The entry by which it was looked has no part in what is wrong there, and its end would only have the next one meet it.
  if (kind === 'look' && isForgeQueue(queue) && isOfRepository(error))
    return { kind: 'away', id, failure: why, isUnsure: false };
  return { kind: 'failed', id, why };
}

function isOfRepository({ cause }: ActivityFailure): boolean {
  return cause instanceof ApplicationFailure && cause.type === FAILURES.BadRepository;
}
