/**
 * Writes the end of a run: last journal lines, state, report, metrics and assurance.
 * Effects: files of the run directory; ends what may still live of the run. Idempotency: by place, and every file is rewritten whole.
 */
import type { CloseRunInput, CloseRunResult } from '../../protocol/messages/messages.js';
import { endCommands, leftObservations } from '../checks/own-commands.js';
import { writeAnswer } from '../steps/write-answer.js';
import { type AtPlace, atPlace } from '../unit/at-place.js';
import { flushJournal } from '../unit/flush-journal.js';
import type { HostDeps } from '../unit/host-deps.js';
import { readRunToTell } from '../unit/run-record.js';
import { toldWithoutValues } from '../unit/run-redactor.js';
import { publishClose } from './publish-close.js';

export function createCloseRun(deps: HostDeps): (input: CloseRunInput) => Promise<CloseRunResult> {
  return (input) =>
    atPlace(deps, {
      name: 'close',
      input,
      find: () => readRunToTell(deps.home, input.run),
      isSealed: false,
      work: (at) => closeRun(at, input),
    });
}

async function closeRun(at: AtPlace, input: CloseRunInput): Promise<CloseRunResult> {
  const { deps, run, place } = at;
  await endCommands(at);
  const journalSeq = await flushJournal(deps, run, input.journal);
  const observations = toldWithoutValues(run, leftObservations(place, { stage: null, seq: input.place.seq }));
  const document = await writeAnswer(deps, run);
  const report = await publishClose(deps, run, input);
  return { report, journalSeq, observations, ...(document === null ? {} : { document }) };
}
