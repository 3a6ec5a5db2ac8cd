/** A scenario of landings from its record to its sum: what was not clean is told as it comes. */
import { isPassed } from '../tally.js';
import { isClean, runTrials, type Trial, type TrialResult } from './trials.js';

export interface LandingCampaign {
  /** Of the scenario. */
  readonly name: string;
  readonly record: (note: (text: string) => void) => Promise<readonly Trial[]>;
  /** Null: all trials. */
  readonly only: string | null;
  readonly lanes: number;
  readonly note: (text: string) => void;
}

/** Answers whether there were trials, and each was made and is clean. Shape: one line a trial that is not, and one of all. */
export async function tryAll({ name, record, only, lanes, note }: LandingCampaign): Promise<boolean> {
  note('recording each course undisturbed');
  const trials = (await record(note)).filter((trial) => only === null || trial.name.includes(only));
  const done: TrialResult[] = [];
  const again: TrialResult[] = [];
  const tell = (result: TrialResult) => {
    const word = wordOf(result);
    const count = done.length + again.length;
    if (word !== 'clean' || count % 50 === 0) note(`${count}/${trials.length} ${result.trial.name}: ${word}`);
  };
  const onFirst = (result: TrialResult) => {
    (result.counts === null && result.error === null ? again : done).push(result);
    tell(result);
  };
  await runTrials({ trials, lanes, onResult: onFirst });
  // What did not come by in the same place: tasks may fall together otherwise under load. Once more, then it stands.
  const onSecond = (result: TrialResult) => {
    done.push(result);
    tell(result);
  };
  await runTrials({ trials: again.map(({ trial }) => trial), lanes, onResult: onSecond });
  const unclean = done.filter((result) => wordOf(result) !== 'clean').length;
  note(`${done.length - unclean} of ${trials.length} cells of ${name} clean`);
  return isPassed({ wanted: trials.length, done: done.length, unclean });
}

function wordOf({ counts, error }: TrialResult): string {
  if (counts === null) return error ?? 'did not fire';
  return isClean(counts) ? 'clean' : JSON.stringify(counts);
}
