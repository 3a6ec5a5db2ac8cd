/**
 * Writes the end of a run: last journal lines, state, report, metrics and assurance.
 * Effects: files of the run directory; ends what may still live of the run. Idempotency: by place, and every file is rewritten whole.
 */
import type { CloseRunInput, CloseRunResult } from '../../protocol/messages.js';
import { attend } from '../unit/attend.js';
import type { HostDeps } from '../unit/host-deps.js';
import { hashOfInput, openPlaceFolder, readRecord, writeRecord } from '../unit/place-record.js';
import { readRunToTell } from '../unit/run-record.js';
import { toldWithoutValues } from '../unit/run-redactor.js';
import { flushJournal } from './flush-journal.js';
import { endCommands, leftObservations } from './own-commands.js';
import { publishClose } from './publish-close.js';

export function createCloseRun(deps: HostDeps): (input: CloseRunInput) => Promise<CloseRunResult> {
  return (input) => attend(deps, input.place.token, () => closeRun(deps, input));
}

async function closeRun(deps: HostDeps, input: CloseRunInput): Promise<CloseRunResult> {
  const run = readRunToTell(deps.home, input.run);
  const { repoKey, runId } = run.record;
  const dir = deps.home.turnDir(repoKey, runId, input.place);
  const place = await openPlaceFolder(dir, hashOfInput(input), deps.durability);
  await endCommands({ deps, run, place });
  const journalSeq = await flushJournal(deps, run, input.journal);
  const record = readRecord<CloseRunResult>(place);
  if (record.kind === 'answer') return { ...record.value, journalSeq };
  const observations = toldWithoutValues(run, leftObservations(place, { stage: null, seq: input.place.seq }));
  const result: CloseRunResult = { report: await publishClose(deps, run, input), journalSeq, observations };
  deps.failpoint('close.before-record');
  writeRecord(place, result);
  deps.failpoint('close.after-record');
  return result;
}
