/**
 * Hands the events that the host lacks to the projection: as a part of every other activity, and as one of its own between two of them.
 * Effects: events.jsonl, state.json and approvals.json. Idempotency: none is needed; late, repeated or beside a turn's own flush, nothing newer
 * is written over. Cancel: what was begun is written.
 */
import { randomUUID } from 'node:crypto';
import type { FlushJournalInput, FlushJournalResult, JournalBatch } from '../../protocol/messages/messages.js';
import { isTerminal } from '../../protocol/run/lifecycle.js';
import { attend } from './attend.js';
import { dropCleaningMark } from './cleaning-mark.js';
import { reopenOnHost } from './closed-mark.js';
import type { HostDeps } from './host-deps.js';
import { projectionOf } from './run-projection.js';
import { isBuried, type RunOnHost, readRunToTell } from './run-record.js';
import type { Workplace } from './workplace.js';

export function createFlushJournal(deps: HostDeps): (input: FlushJournalInput) => Promise<FlushJournalResult> {
  return ({ run, journal }) =>
    // Without a place: each attempt writes for itself.
    attend(deps, randomUUID(), async () => ({
      journalSeq: await flushJournal(deps, readRunToTell(deps.home, run), journal),
    }));
}

/** Answers the last seq that the file holds. */
export async function flushJournal(
  deps: Pick<HostDeps, 'durability' | 'failpoint'>,
  run: RunOnHost<Workplace>,
  batch: JournalBatch,
): Promise<number> {
  const projection = projectionOf(deps, run);
  await projection.open();
  const { seq, isNewest } = await projection.journal(batch);
  // A reset of a closed run goes on; a late line of one does not, and a cleaned one cannot.
  if (isNewest && !isTerminal(batch.view.status) && !isBuried(run.record)) {
    dropCleaningMark(run.stateDir);
    reopenOnHost(run.stateDir);
  }
  return seq;
}
