/**
 * Writes what a landing knows for people: its journal, gates and view in a folder of the run directory, and the merge in the run's own state.json.
 * Effects: only these files. Idempotency: none is needed; late or repeated, nothing newer is written over. Cancel: what was begun is written.
 */
import { randomUUID } from 'node:crypto';
import type { WriteLandingInput } from '../../protocol/actors/landing.js';
import type { FlushJournalResult } from '../../protocol/messages/messages.js';
import { writeTaskResult } from '../steps/write-result.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { projectionOf } from '../unit/run-projection.js';
import { readRunToTell } from '../unit/run-record.js';

export function createWriteLanding(deps: HostDeps): (input: WriteLandingInput) => Promise<FlushJournalResult> {
  return ({ run, headRunId, journal }) =>
    // Without a place: each attempt writes for itself.
    attend(deps, randomUUID(), async () => {
      deps.failpoint('landing.before-view');
      const landed = readRunToTell(deps.home, run);
      const projection = projectionOf(deps, landed);
      await projection.open();
      const { seq, isNewest } = await projection.landing(journal);
      const head = headRunId === run.runId ? landed : readRunToTell(deps.home, { ...run, runId: headRunId });
      if (isNewest && head !== landed) await projectionOf(deps, head).merge(journal.view.merge);
      if (isNewest) await writeTaskResult(deps, head);
      deps.failpoint('landing.after-view');
      return { journalSeq: seq };
    });
}
