/** The trials of the scenario `landing`: every fault at every step of two heads on their way to a base, which is free or in use. */
import { failpointsOf } from '../../../../protocol/failpoints.js';
import {
  type Cell,
  cellsOf,
  LANDING_COURSES,
  type LandingCourse,
  nameOfCell,
  type Passage,
  type Point,
  TAKING,
} from '../cells.js';
import { openChaosHome } from '../chaos-home.js';
import { assertReached } from '../reached.js';
import { runLandingCell } from './landing-cell.js';
import { isClean, type Trial } from './trials.js';
import { countLanding } from './verdict.js';

const CELL_LIMIT_MS = 90_000;

const LANDING_NAMES: readonly Point['name'][] = [...failpointsOf('landing'), ...TAKING];

/** One undisturbed cell of each course; every fault at what it passes. Errors: plain Error where it does not land as it is to, or where a failpoint comes by in none. */
export async function landingTrials(): Promise<readonly Trial[]> {
  const points: Point[] = [];
  const place = openChaosHome({ obeys: true });
  try {
    for (const course of LANDING_COURSES) {
      const traces = await runLandingCell(place, course, { begin: () => place.record(), limitMs: CELL_LIMIT_MS });
      const counts = countLanding(traces);
      if (!isClean(counts)) throw new Error(`${course} ends otherwise without any fault: ${JSON.stringify(counts)}`);
      points.push(...landingPoints(course, place.passages()));
      place.disarm();
    }
  } finally {
    await place.close();
  }
  const names = points.map(({ name }) => name);
  assertReached('landing', LANDING_NAMES, names);
  return cellsOf(points).map(trialOf);
}

/** How often a landing shows itself depends on what falls together: the first time alone is certain. */
const BY_CHANCE = /^(writeLanding|enqueue) (?!1$)/;

/** Each name once within each activity by its number, the first time that it comes by there. */
export function landingPoints(course: Point['course'], passages: readonly Passage[]): readonly Point[] {
  const points = new Map<string, Point>();
  for (const { role, name, where } of passages) {
    const key = `${name} ${where}`;
    const stage = `${where ?? 'taking'}, ${course}`;
    if (!LANDING_NAMES.includes(name) || points.has(key) || BY_CHANCE.test(where ?? '')) continue;
    points.set(key, { course, name, role, where, nth: 1, stage });
  }
  return [...points.values()];
}

function trialOf(cell: Cell): Trial {
  const course: LandingCourse = cell.point.course === 'base-in-use' ? 'base-in-use' : 'base-free';
  return {
    name: nameOfCell(cell),
    run: async (place) =>
      countLanding(await runLandingCell(place, course, { begin: () => place.arm([cell]), limitMs: CELL_LIMIT_MS })),
    hasFired: (place) => place.hasFired(cell),
  };
}
