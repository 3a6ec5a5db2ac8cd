/** Runs trials of landings side by side: each lane has a home of its own, with the same heads in every trial, and gives it up once a trial failed there. */
import { type ChaosHome, inHomes } from '../chaos-home.js';

/** Each is 0 where nothing was lost, nothing doubled and nothing told wrongly. */
export type TrialCounts = Readonly<Record<string, number>>;

/** One fault at one place of a landing. */
export interface Trial {
  readonly name: string;
  /** Errors: plain Error where it does not end in time. */
  run(place: ChaosHome): Promise<TrialCounts>;
  /** Of the last time that it was run. */
  hasFired(place: ChaosHome): boolean;
}

export interface TrialResult {
  readonly trial: Trial;
  /** Null: the fault did not come to pass, so it does not count. */
  readonly counts: TrialCounts | null;
  /** Why it could not be told. */
  readonly error: string | null;
}

export interface TrialWork {
  readonly trials: readonly Trial[];
  readonly lanes: number;
  onResult(result: TrialResult): void;
}

export async function runTrials({ trials, lanes, onResult }: TrialWork): Promise<void> {
  const queue = [...trials];
  await Promise.all(
    Array.from({ length: Math.min(lanes, queue.length) }, () =>
      inHomes({ obeys: true }, async (place) => {
        const trial = queue.shift();
        if (trial === undefined) return 'done';
        const result = await counted(place, trial);
        onResult(result);
        return result.counts === null || !isClean(result.counts) ? 'spoilt' : 'more';
      }),
    ),
  );
}

export function isClean(counts: TrialCounts): boolean {
  return Object.values(counts).every((count) => count === 0);
}

async function counted(place: ChaosHome, trial: Trial): Promise<TrialResult> {
  try {
    place.disarm();
    const counts = await trial.run(place);
    if (trial.hasFired(place)) return { trial, counts, error: null };
    // Without the fault it is to be clean too.
    const error = isClean(counts) ? null : `it did not fire, and yet: ${JSON.stringify(counts)}`;
    return { trial, counts: null, error };
  } catch (error) {
    return { trial, counts: null, error: error instanceof Error ? error.message : String(error) };
  }
}
