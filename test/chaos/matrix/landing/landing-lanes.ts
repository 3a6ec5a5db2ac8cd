/** Runs the cells of the scenario `landing` side by side, each lane in a home of its own with the same two heads in every cell. */
import { failpointsOf } from '../../../../protocol/failpoints.js';
import {
  type Cell,
  LANDING_COURSES,
  type LandingCourse,
  nameOfCell,
  type Passage,
  type Point,
  TAKING,
} from '../cells.js';
import { type ChaosHome, inHomes, openChaosHome } from '../chaos-home.js';
import { runLandingCell } from './landing-cell.js';
import { countLanding, isCleanLanding, type LandingCounts } from './verdict.js';

const CELL_LIMIT_MS = 90_000;

export const LANDING_NAMES: readonly Point['name'][] = [...failpointsOf('landing'), ...TAKING];

export interface LandingResult {
  readonly cell: Cell;
  /** Null: the failpoint did not fire, so the cell does not count. */
  readonly counts: LandingCounts | null;
  /** Why it could not be told. */
  readonly error: string | null;
}

/** One undisturbed cell of each course; what it passes. Errors: plain Error where it does not land as it is to. */
export async function recordLandings(): Promise<readonly Point[]> {
  const points: Point[] = [];
  const place = openChaosHome({ obeys: true });
  try {
    for (const course of LANDING_COURSES) {
      const traces = await runLandingCell(place, course, { begin: () => place.record(), limitMs: CELL_LIMIT_MS });
      const counts = countLanding(traces);
      if (!isCleanLanding(counts))
        throw new Error(`${course} ends otherwise without any fault: ${JSON.stringify(counts)}`);
      points.push(...landingPoints(course, place.passages()));
      place.disarm();
    }
    return points;
  } finally {
    await place.close();
  }
}

/** How often a landing shows itself depends on what falls together: the first time alone is certain. */
const BY_CHANCE = /^(writeLanding|enqueue) (?!1$)/;

/** Each name once within each activity by its number, the first time that it comes by there. */
export function landingPoints(course: LandingCourse, passages: readonly Passage[]): readonly Point[] {
  const points = new Map<string, Point>();
  for (const { role, name, where } of passages) {
    const key = `${name} ${where}`;
    const stage = `${where ?? 'taking'}, ${course}`;
    if (!LANDING_NAMES.includes(name) || points.has(key) || BY_CHANCE.test(where ?? '')) continue;
    points.set(key, { course, name, role, where, nth: 1, stage });
  }
  return [...points.values()];
}

export interface LandingWork {
  readonly cells: readonly Cell[];
  readonly lanes: number;
  onResult(result: LandingResult): void;
}

export async function runLandingCells({ cells, lanes, onResult }: LandingWork): Promise<void> {
  const queue = [...cells];
  await Promise.all(
    Array.from({ length: lanes }, () =>
      inHomes({ obeys: true }, async (place) => {
        const cell = queue.shift();
        if (cell === undefined) return 'done';
        const result = await counted(place, cell);
        onResult(result);
        return result.counts === null || !isCleanLanding(result.counts) ? 'spoilt' : 'more';
      }),
    ),
  );
}

async function counted(place: ChaosHome, cell: Cell): Promise<LandingResult> {
  try {
    place.disarm();
    const course = cell.point.course === 'base-in-use' ? 'base-in-use' : 'base-free';
    const traces = await runLandingCell(place, course, { begin: () => place.arm([cell]), limitMs: CELL_LIMIT_MS });
    return { cell, counts: place.hasFired(cell) ? countLanding(traces) : null, error: null };
  } catch (error) {
    return {
      cell,
      counts: null,
      error: `${nameOfCell(cell)}: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
