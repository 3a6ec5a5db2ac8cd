/** The trials of the scenario `backlog`: every fault at every step of three tasks that are taken in, run one after the other, and of one that is run again. */
import { failpointsOf } from '../../../../protocol/failpoints.js';
import { type Cell, cellsOf, nameOfCell, type Passage, type Point } from '../cells.js';
import { openChaosHome } from '../chaos-home.js';
import { isClean, type Trial } from '../landing/trials.js';
import { runBacklogCell } from './backlog-cell.js';
import { MANY_DEATHS } from './many-deaths.js';
import { countBacklog } from './verdict.js';

const CELL_LIMIT_MS = 120_000;

const NAMES: readonly Point['name'][] = [...failpointsOf('backlog'), 'control.before-start', 'control.after-start'];

/** One undisturbed cell; every fault at what it passes. Errors: plain Error where it does not end as it is to. */
export async function backlogTrials(): Promise<readonly Trial[]> {
  const place = openChaosHome({ obeys: true });
  try {
    const traces = await runBacklogCell(place, { begin: () => place.record(), limitMs: CELL_LIMIT_MS });
    const counts = countBacklog(traces);
    if (!isClean(counts)) throw new Error(`it ends otherwise without any fault: ${JSON.stringify(counts)}`);
    // The long one first, beside the others.
    return [MANY_DEATHS, ...cellsOf(backlogPoints(place.passages())).map(trialOf)];
  } finally {
    await place.close();
  }
}

/** Each name the first time that it comes by within each activity by its number; of the numbering the second task too. */
export function backlogPoints(passages: readonly Passage[]): readonly Point[] {
  const points = new Map<string, Point>();
  for (const { role, name, where } of passages) {
    const key = `${name} ${where}`;
    if (!NAMES.includes(name) || points.has(key)) continue;
    points.set(key, { course: 'tasks', name, role, where, nth: 1, stage: where ?? 'tasks' });
    if (name.startsWith('admit.'))
      points.set(`${key} again`, { course: 'tasks', name, role, where, nth: 2, stage: `${where ?? 'tasks'}, second` });
  }
  return [...points.values()];
}

function trialOf(cell: Cell): Trial {
  return {
    name: nameOfCell(cell),
    run: async (place) =>
      countBacklog(await runBacklogCell(place, { begin: () => place.arm([cell]), limitMs: CELL_LIMIT_MS })),
    hasFired: (place) => place.hasFired(cell),
  };
}
