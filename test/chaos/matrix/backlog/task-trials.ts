/** The trials of a scenario of tasks: one undisturbed cell, then every fault at what that passes. */
import { type Cell, cellsOf, nameOfCell, type Passage, type Point } from '../cells.js';
import { type ChaosHome, openChaosHome } from '../chaos-home.js';
import { isClean, type Trial, type TrialCounts } from '../landing/trials.js';

export interface TaskScenario<Traces> {
  /** `begin`: called before anything is handed in. Errors: plain Error after `limitMs`. */
  readonly cell: (
    place: ChaosHome,
    options: { readonly begin: () => void; readonly limitMs: number },
  ) => Promise<Traces>;
  readonly count: (traces: Traces) => TrialCounts;
  readonly points: (passages: readonly Passage[]) => readonly Point[];
  /** Errors: plain Error where one is missing. */
  readonly assertWhole: (points: readonly Point[]) => void;
  readonly limitMs: number;
}

/** Errors: plain Error where the undisturbed cell does not end as it is to, or does not pass what it is to. */
export async function taskTrials<Traces>(scenario: TaskScenario<Traces>): Promise<readonly Trial[]> {
  const { cell, count, limitMs } = scenario;
  const place = openChaosHome({ obeys: true });
  try {
    const counts = count(await cell(place, { begin: () => place.record(), limitMs }));
    if (!isClean(counts)) throw new Error(`it ends otherwise without any fault: ${JSON.stringify(counts)}`);
    const points = scenario.points(place.passages());
    scenario.assertWhole(points);
    return cellsOf(points).map((one) => trialOf(scenario, [one]));
  } finally {
    await place.close();
  }
}

/** `cells`: all in one course of the scenario; each must come to pass. */
export function trialOf<Traces>({ cell, count, limitMs }: TaskScenario<Traces>, cells: readonly Cell[]): Trial {
  return {
    name: cells.map(nameOfCell).join(', '),
    run: async (place) => count(await cell(place, { begin: () => place.arm(cells), limitMs })),
    hasFired: (place) => cells.every((one) => place.hasFired(one)),
  };
}
