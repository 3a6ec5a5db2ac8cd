/** Runs cells side by side: each lane has a home of its own and takes the next cell when it is done with one; a home that a cell failed in is given up. */
import { failpointsOf } from '../../../protocol/failpoints.js';
import type { RunTraces } from '../../support/run-traces.js';
import { runCell } from './attended-cell.js';
import { type Cell, COURSES, type Course, type Point, pointsOf, tripsOf } from './cells.js';
import { type ChaosHome, inHomes, openChaosHome } from './chaos-home.js';
import { assertReached } from './reached.js';
import { stageNames } from './scenario.js';
import { type CellResult, judgeTrip, resultOf } from './trip-verdict.js';
import { countsOf, isClean } from './verdict.js';

/** A run has it for each of its cells, so one that does not end hangs. */
const CELL_LIMIT_MS = 120_000;

export interface Recorded {
  readonly points: readonly Point[];
  readonly expected: RunTraces;
}

/** One undisturbed run of each course, side by side; their points, and the traces that every other run must have. Errors: plain Error where one does not end as the others, or a failpoint comes by in none. */
export async function recordCourses(): Promise<Recorded> {
  const recorded = await Promise.all(COURSES.map(recordCourse));
  const expected = recorded[0]?.traces;
  if (expected === undefined) throw new Error('there is no course');
  const points: Point[] = [];
  for (const { course, traces, points: passed } of recorded) {
    const difference = countsOf(traces, expected);
    if (!isClean(difference))
      throw new Error(`the course ${course} ends otherwise without any fault: ${JSON.stringify(difference)}`);
    points.push(...passed);
  }
  const names = points.map(({ name }) => name);
  assertReached('a run', failpointsOf('run'), names);
  return { points, expected };
}

/** Errors: plain Error where the run does not close. */
export async function recordCourse(
  course: Course,
): Promise<{ course: Course; traces: RunTraces; points: readonly Point[] }> {
  const place = openChaosHome({ obeys: true });
  try {
    const traces = await runCell(place, course, { begin: () => place.record(), limitMs: CELL_LIMIT_MS });
    return { course, traces, points: pointsOf(course, passagesOf(place, course), stageNames()) };
  } finally {
    await place.close();
  }
}

/** Where each start and stop is met, so that what else happens to start under load changes nothing. */
const PASSED_IN: Readonly<Record<Exclude<Course, 'run'>, RegExp>> = {
  'worker-restart': /^worker\.start-|^server\.\w+-describe$/,
  'guard-restart': /^guard\.start-/,
  'engine-restart': /^engine\.start-/,
  down: /\.stop-/,
};

/** Of a start or stop only what is started or stopped: the run goes on beside it. */
function passagesOf(place: ChaosHome, course: Course): ReturnType<ChaosHome['passages']> {
  const passages = place.passages();
  if (course === 'run') return passages;
  return passages.filter(({ name, where }) => where === null && PASSED_IN[course].test(name));
}

export interface Work {
  readonly cells: readonly Cell[];
  readonly recorded: Recorded;
  readonly lanes: number;
  onResult(result: CellResult): void;
  /** Of a run of several cells that was not clean or did not end; a sentence for people. */
  onTripFailed(failure: string): void;
}

/** Each cell gets one result. One that did not fire beside others, or was in a run that failed, has a run of its own. */
export async function runCells({ cells, recorded, lanes, onResult, onTripFailed }: Work): Promise<void> {
  const stages = [...new Set(recorded.points.map(({ stage }) => stage))];
  const queue = [...tripsOf(cells, stages)];
  await Promise.all(
    Array.from({ length: Math.min(lanes, queue.length) }, () =>
      inHomes({ obeys: true }, async (place) => {
        const trip = queue.shift();
        if (trip === undefined) return 'done';
        const results = await counted(place, trip, recorded.expected);
        const { stands, again, failure } = judgeTrip(results);
        for (const result of stands) onResult(result);
        queue.push(...again.map((cell) => [cell]));
        if (failure !== null) onTripFailed(failure);
        return results.every(({ error }) => error === null) ? 'more' : 'spoilt';
      }),
    ),
  );
}

async function counted(place: ChaosHome, trip: readonly Cell[], expected: RunTraces): Promise<readonly CellResult[]> {
  const course = COURSES.find((one) => one === trip[0]?.point.course) ?? 'run';
  try {
    place.disarm();
    const traces = await runCell(place, course, { begin: () => place.arm(trip), limitMs: CELL_LIMIT_MS * trip.length });
    const counts = countsOf(traces, expected);
    return trip.map((cell) => resultOf(cell, place.hasFired(cell), counts));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return trip.map((cell) => ({ cell, counts: null, error: why }));
  }
}
