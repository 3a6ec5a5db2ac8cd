/** Hands the events that the host lacks to the projection. Answers the last seq that the file holds. */
import { isTerminal } from '../../protocol/lifecycle.js';
import type { JournalBatch } from '../../protocol/messages.js';
import { reopenOnHost } from './closed-mark.js';
import type { HostDeps } from './host-deps.js';
import { projectionOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';

export async function flushJournal(deps: HostDeps, run: RunOnHost, batch: JournalBatch): Promise<number> {
  if (!isTerminal(batch.view.status)) reopenOnHost(run.stateDir);
  const projection = projectionOf(deps, run);
  await projection.open();
  return projection.journal(batch);
}
