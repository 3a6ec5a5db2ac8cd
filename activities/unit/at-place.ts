/**
 * One attempt of an activity that has a place. Whoever asks again, in this process or after its death, gets the one answer: of the attempt that is
 * at work, of the record, or of the work, which goes on after the last mark that it finds.
 * Not promised: that the work is done once. A death before the record repeats it, so each of its steps is harmless when it is done again.
 */
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { Place } from '../../protocol/run/place.js';
import type { Signals } from './attempts.js';
import { attend } from './attend.js';
import { flushJournal } from './flush-journal.js';
import type { HostDeps } from './host-deps.js';
import {
  openPlaceFolder,
  type PlaceFolder,
  RECORD_FILE,
  readMark,
  readSealedMark,
  writePlaceMark,
  writeSealedMark,
} from './place-record.js';
import { projectionOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';
import { hidingInErrors, redactorOf } from './run-redactor.js';
import type { WorkTeller } from './tell-work.js';
import type { RunWorkplace, Workplace } from './workplace.js';

/** What an attempt works with, a run's or not. */
export interface AtWorkplace {
  readonly deps: HostDeps;
  readonly workplace: Workplace;
  readonly place: PlaceFolder;
  readonly signals: Signals;
  /** Null where nobody watches: of a queue. */
  readonly teller: WorkTeller | null;
}

export interface AtPlace<At extends Workplace = RunWorkplace> extends AtWorkplace {
  readonly run: RunOnHost<At>;
  readonly workplace: At;
}

export interface PlacedActivity<Result, At extends Workplace = RunWorkplace> {
  /** Begins the names of its failpoints. */
  readonly name: 'open' | 'turn' | 'validate' | 'close' | 'land' | 'check';
  /** The lines that it carries go to the journal whoever answers; opening carries none. */
  readonly input: { readonly place: Place; readonly journal?: JournalBatch };
  /** Finds the run, or refuses. Writes nothing: a refused activity leaves no folder. */
  readonly find: () => RunOnHost<At> | Promise<RunOnHost<At>>;
  /** The record answers only beside the end of the place's own command; where none has ended, none is written. */
  readonly isSealed: boolean;
  readonly work: (at: AtPlace<At>) => Promise<Result>;
}

/** Errors: as `attend`; those of `find`; those of `work`, without the values that the run's agents were given. */
export function atPlace<Result, At extends Workplace = RunWorkplace>(
  deps: HostDeps,
  { name, input, find, isSealed, work }: PlacedActivity<Result, At>,
): Promise<Result> {
  return attend(deps, input.place.token, async (signals) => {
    const run = await find();
    return hidingInErrors(run, async () => {
      const dir = deps.home.turnDir(run.record.repoKey, input.place.runId, input.place);
      const place = await openPlaceFolder(dir, input, deps.durability);
      const record = isSealed ? readSealedMark<Result>(place, RECORD_FILE) : readMark<Result>(place, RECORD_FILE);
      if (record.kind === 'answer') return journalled(deps, run, { answer: record.value, journal: input.journal });
      const teller = WATCHED.includes(name) ? tellerOf(deps, run) : null;
      const result = await work({ deps, run, workplace: run.workplace, place, signals, teller });
      deps.failpoint(`${name}.before-record`);
      (isSealed ? writeSealedMark : writePlaceMark)(place, RECORD_FILE, result);
      deps.failpoint(`${name}.after-record`);
      return result;
    });
  });
}

/** Of a run that has a folder for people. A landing's checks are shown by their queue. */
const WATCHED: readonly PlacedActivity<unknown>['name'][] = ['open', 'turn', 'validate'];

/** Outside of the activity's context nothing is warned of. */
function tellerOf(deps: HostDeps, run: RunOnHost<Workplace>): WorkTeller {
  const projection = projectionOf({ ...deps, warn: () => {} }, run);
  return { redactor: redactorOf(run), show: (work) => projection.showWork(work) };
}

/** After the server was restored from a dump, the lines differ from those that the first attempt wrote; only who writes them knows how far they got. */
async function journalled<Result>(
  deps: HostDeps,
  run: RunOnHost<Workplace>,
  { answer, journal }: { readonly answer: Result; readonly journal: JournalBatch | undefined },
): Promise<Result> {
  return journal === undefined ? answer : { ...answer, journalSeq: await flushJournal(deps, run, journal) };
}
