/** What the kill matrix is made of: points of a recorded run, faults, and the cells between them. Pure. */
import type { FailpointName } from '../../../protocol/failpoints.js';

export const FAULTS = ['worker', 'guard', 'server', 'engine', 'all', 'stop'] as const;

/** Whom SIGKILL meets; `stop`: the process at the point gets SIGSTOP and, 5 s later, SIGCONT. */
export type Fault = (typeof FAULTS)[number];

/** How a point is reached: in the course of a run, or because something is started or stopped in the middle of one. */
export const COURSES = ['run', 'worker-restart', 'guard-restart', 'engine-restart', 'down'] as const;

export type Course = (typeof COURSES)[number];

/** Of the scenario `landing`: whether a checkout stands on the base, which a person then takes the chain into. */
export const LANDING_COURSES = ['base-free', 'base-in-use'] as const;

/**
 * Of the scenario `landing-forge`: what the base lets be done to it. `pushed`: everything, by a pull request that a person has opened. `ruled`: the forge merges pull requests; they are drafts until they
 * are asked for. `handed`: it has a merge queue of the forge's.
 */
export const FORGE_COURSES = ['pushed', 'ruled', 'handed'] as const;

export type ForgeCourse = (typeof FORGE_COURSES)[number];

export type LandingCourse = (typeof LANDING_COURSES)[number];

/** The person's own git fires these: the command line has no failpoints. */
export const TAKING = ['take.before-merge', 'take.after-merge'] as const;

export type PointName = FailpointName | (typeof TAKING)[number];

/** One line of the record: what came by in the process of this role. */
export interface Passage {
  readonly role: 'worker' | 'guard' | 'engine' | 'person';
  readonly name: PointName;
  /** Type and number of the activity under way; null outside of one. */
  readonly where: string | null;
  /** The workflow that asked for it. */
  readonly of?: string | null;
}

/** Elsewhere it is chance: whether an agent happens to work for longer than half a second, whether this worker has read that config before. */
const ONLY_IN: Readonly<Partial<Record<PointName, string>>> = {
  'server.before-heartbeat': 'executing',
  'git.before-config': 'opening',
  'git.after-config': 'opening',
};

export interface Point {
  readonly course: Course | LandingCourse | ForgeCourse | 'tasks';
  readonly name: PointName;
  readonly role: Passage['role'];
  /** Null: whichever call is the `nth`. */
  readonly where: string | null;
  readonly nth: number;
  /** For people: the stage that the run is in. */
  readonly stage: string;
}

export interface Cell {
  readonly point: Point;
  readonly fault: Fault;
}

export function nameOfCell({ point, fault }: Cell): string {
  return `${fault} at ${point.name} (${point.stage})`;
}

/**
 * The points of a course: each name once a stage within its activities and once outside of them (guard, engine, start and stop), the first time that it comes by
 * there. `stageOf`: an activity's stage.
 */
export function pointsOf(
  course: Point['course'],
  passages: readonly Passage[],
  stageOf: (where: string) => string,
): readonly Point[] {
  const counts = new Map<string, number>();
  const points = new Map<string, Point>();
  let stage = course === 'run' ? 'opening' : course;
  for (const { role, name, where } of passages) {
    if (course === 'run' && where !== null) stage = stageOf(where);
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const key = `${name} ${stage} ${where === null ? 'outside' : 'within'}`;
    if (name in ONLY_IN && ONLY_IN[name] !== stage) continue;
    if (!points.has(key)) points.set(key, { course, name, role, where, nth: where === null ? nth : 1, stage });
  }
  return [...points.values()];
}

/** Every fault at every point; the engine's own points meet only what can happen there. */
export function cellsOf(points: readonly Point[]): readonly Cell[] {
  return points.flatMap((point) =>
    FAULTS.filter((fault) => isPossible(point, fault)).map((fault) => ({ point, fault })),
  );
}

/** Stages of a run between two faults of one run, so that what the one cost is over before the other comes. */
const STAGES_APART = 2;

/** Whose processes a fault ends, so that their points are counted from the start. */
const ENDED_BY: Readonly<Record<Fault, readonly Passage['role'][]>> = {
  worker: ['worker'],
  guard: ['guard'],
  server: [],
  engine: ['engine', 'worker'],
  all: ['worker', 'guard', 'engine'],
  stop: [],
};

/**
 * Runs for the cells: several in one run where they lie far enough apart, so that a whole matrix is affordable.
 * A point that is told by its number alone (of the guard) comes behind no fault that ends its process, which would count anew. No fault comes twice in a run: the
 * engine gives up on a child that dies too often. `order`: of the stages.
 */
export function tripsOf(cells: readonly Cell[], order: readonly string[]): readonly (readonly Cell[])[] {
  const trips: Cell[][] = [];
  const open: Cell[][] = [];
  const at = ({ point }: Cell) => order.indexOf(point.stage);
  for (const cell of [...cells].sort((a, b) => at(a) - at(b))) {
    const { point } = cell;
    const fits = (trip: readonly Cell[]) => {
      const last = trip.at(-1);
      const isCounted = point.where !== null || !trip.some(({ fault }) => ENDED_BY[fault].includes(point.role));
      return (
        last !== undefined &&
        at(cell) - at(last) >= STAGES_APART &&
        isCounted &&
        !trip.some(({ fault }) => fault === cell.fault)
      );
    };
    const trip = point.course === 'run' ? open.find(fits) : undefined;
    if (trip !== undefined) trip.push(cell);
    else {
      const begun = [cell];
      trips.push(begun);
      if (point.course === 'run') open.push(begun);
    }
  }
  return fromBothEnds(trips);
}

/** Runs of many faults, which keep the cores busy, stand before those of one, which wait for restarts: side by side they take less time than one kind after the other. */
function fromBothEnds<T>(all: readonly T[]): readonly T[] {
  const half = Math.ceil(all.length / 2);
  const ends = all.slice(half).reverse();
  return all.slice(0, half).flatMap((one, index) => [one, ...ends.slice(index, index + 1)]);
}

/** What is being started or stopped is killed or stopped itself, or everything with it; whoever is not there cannot be met. */
function isPossible({ course, role }: Point, fault: Fault): boolean {
  if (['run', 'tasks', ...LANDING_COURSES, ...FORGE_COURSES].some((one) => one === course)) return true;
  return fault === role || fault === 'all' || fault === 'stop';
}
