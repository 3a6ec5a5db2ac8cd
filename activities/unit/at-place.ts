/** One attempt of an activity of a run, or of the queue that lands its head: it carries journal lines, and people may watch it. */
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { Place } from '../../protocol/run/place.js';
import type { Signals } from './attempts.js';
import { flushJournal } from './flush-journal.js';
import type { HostDeps } from './host-deps.js';
import { type OncePlaced, onceAtPlace } from './once-at-place.js';
import type { PlaceFolder } from './place-record.js';
import { projectionOf } from './run-projection.js';
import type { RunOnHost } from './run-record.js';
import { redactorOf } from './run-redactor.js';
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

export interface PlacedActivity<Result, At extends Workplace = RunWorkplace>
  extends Pick<OncePlaced<Result, RunOnHost<At>>, 'find' | 'isSealed'> {
  readonly name: Exclude<OncePlaced<Result, RunOnHost<At>>['name'], 'ask'>;
  /** The lines that it carries go to the journal whoever answers; opening carries none. */
  readonly input: { readonly place: Place; readonly journal?: JournalBatch };
  readonly work: (at: AtPlace<At>) => Promise<Result>;
}

/** Errors: as of `onceAtPlace`. */
export function atPlace<Result, At extends Workplace = RunWorkplace>(
  deps: HostDeps,
  { work, ...activity }: PlacedActivity<Result, At>,
): Promise<Result> {
  const { name, input } = activity;
  return onceAtPlace<Result, RunOnHost<At>>(deps, {
    ...activity,
    work: ({ owner: run, place, signals }) => {
      const teller = WATCHED.includes(name) ? tellerOf(deps, run) : null;
      return work({ deps, run, workplace: run.workplace, place, signals, teller });
    },
    answerAgain: (run, answer) => journalled(deps, run, { answer, journal: input.journal }),
  });
}

/** Of a run that has a folder for people. A landing's checks are shown by their queue. */
const WATCHED: readonly PlacedActivity<unknown>['name'][] = ['open', 'turn', 'validate'];

/** Outside of the activity's context nothing is warned of. */
function tellerOf(deps: HostDeps, run: RunOnHost<Workplace>): WorkTeller {
  const projection = projectionOf({ ...deps, warn: () => {} }, run);
  return {
    redactor: redactorOf(run),
    show: (work) => projection.showWork(work),
    liveFile: (turn) => projection.liveFile(turn),
  };
}

/** After the server was restored from a dump, the lines differ from those that the first attempt wrote; only who writes them knows how far they got. */
async function journalled<Result>(
  deps: HostDeps,
  run: RunOnHost<Workplace>,
  { answer, journal }: { readonly answer: Result; readonly journal: JournalBatch | undefined },
): Promise<Result> {
  return journal === undefined ? answer : { ...answer, journalSeq: await flushJournal(deps, run, journal) };
}
