/**
 * The trials of the scenario `landing-forge`: every fault of the matrix at every step of a head on its way to a base of a forge, and everything that a forge does wrong at each request of that way.
 */
import { failpointsOf } from '../../../../protocol/failpoints.js';
import { type Cell, cellsOf, FORGE_COURSES, type ForgeCourse, nameOfCell, type Passage, type Point } from '../cells.js';
import { type ChaosHome, openChaosHome } from '../chaos-home.js';
import { landingPoints } from '../landing/landing-trials.js';
import { isClean, type Trial } from '../landing/trials.js';
import { assertReached } from '../reached.js';
import { runForgeCell } from './forge-cell.js';
import { type ForgeFault, faultsAt, LATE_MERGE, nameOfFault } from './forge-faults.js';
import { countForge } from './forge-verdict.js';
import { forgeWorldOf } from './forge-world.js';

const CELL_LIMIT_MS = 240_000;

/** A request that hangs is given up after 20 s, git after 30 s, and a landing tries more than once. */
const FAULT_LIMIT_MS = 300_000;

const FORGE_NAMES = failpointsOf('landing-forge') as readonly Point['name'][];

/** Errors: plain Error where a landing does not end as it is to without any fault, or where a failpoint of landing comes by in none. */
export async function forgeTrials(note: (text: string) => void): Promise<readonly Trial[]> {
  const place = openChaosHome({ obeys: true });
  try {
    const points: Point[] = [];
    const faults: ForgeFault[] = [];
    for (const course of FORGE_COURSES) {
      const recorded = await record(place, course);
      points.push(...recorded.points);
      for (const fault of recorded.faults) if (!faults.some((known) => isSamePlace(known, fault))) faults.push(fault);
    }
    // Only a chain is taken by a person, and on a forge there is none.
    const wanted = [...failpointsOf('landing'), ...FORGE_NAMES];
    assertReached(
      'landing-forge',
      wanted,
      points.map(({ name }) => name),
    );
    const cells = cellsOf(points);
    note(`${cells.length} cells at ${points.length} points, and ${faults.length} faults of the forge`);
    return alternating(faults.map(trialOfFault), cells.map(trialOfCell));
  } finally {
    await place.close();
  }
}

/** What waits for time-outs stands beside what keeps the cores busy with restarts. */
function alternating<T>(some: readonly T[], more: readonly T[]): readonly T[] {
  const share = some.length / Math.max(1, more.length);
  return more.flatMap((one, n) => [one, ...some.slice(Math.round(n * share), Math.round((n + 1) * share))]);
}

async function record(place: ChaosHome, course: ForgeCourse) {
  const begin = () => place.record();
  const traces = await runForgeCell(place, { course, limitMs: CELL_LIMIT_MS, begin });
  assertClean(course, countForge(traces));
  const passages = place.passages();
  place.disarm();
  const { forge } = await forgeWorldOf(place);
  const points = [...stepPoints(course, passages), ...requestPoints(course, passages)];
  return { points, faults: faultsAt(course, forge.faults.log) };
}

function assertClean(course: ForgeCourse, counts: ReturnType<typeof countForge>): void {
  if (!isClean(counts)) throw new Error(`${course} ends otherwise without any fault: ${JSON.stringify(counts)}`);
}

/** Where each is met: the first try finds a merge that is to be checked, the second lands it. */
const REQUESTS_IN: Readonly<Record<ForgeCourse, RegExp>> = {
  pushed: /^(?:ensurePull|lookAtPull) 1$|^landEntry 2$/,
  ruled: /^ensurePull [12]$|^landEntry 2$/,
  handed: /^landEntry 2$/,
};

const STEPS_IN = /^(?:writeLanding|enqueue|checkTree) 1$|^landEntry 2$/;

/** What is another thing where the forge merges. */
const OF_SWAP = /^land\.(?:(?:before|after)-swap|after-read-back|before-record)$/;

function stepPoints(course: ForgeCourse, passages: readonly Passage[]): readonly Point[] {
  return landingPoints(course, passages).filter(
    ({ name, where }) => STEPS_IN.test(where ?? '') && (course === 'pushed' || OF_SWAP.test(name)),
  );
}

/** Each request and push of an activity: each is another moment to die in. */
function requestPoints(course: ForgeCourse, passages: readonly Passage[]): readonly Point[] {
  const counts = new Map<string, number>();
  const points = new Map<string, Point>();
  for (const { role, name, where, of } of passages) {
    if (!FORGE_NAMES.includes(name) || !REQUESTS_IN[course].test(where ?? '')) continue;
    const nth = (counts.get(`${of} ${name} ${where}`) ?? 0) + 1;
    counts.set(`${of} ${name} ${where}`, nth);
    const key = `${name} ${where} ${nth}`;
    points.set(key, { course, name, role, where, nth, stage: `${nth} of ${where}, ${course}` });
  }
  return [...points.values()];
}

function trialOfCell(cell: Cell): Trial {
  const course = FORGE_COURSES.find((one) => one === cell.point.course) ?? 'pushed';
  const begin = (place: ChaosHome) => () => place.arm([cell]);
  return {
    name: nameOfCell(cell),
    run: async (place) =>
      countForge(await runForgeCell(place, { course, limitMs: CELL_LIMIT_MS, begin: begin(place) })),
    hasFired: (place) => place.hasFired(cell),
  };
}

function trialOfFault(fault: ForgeFault): Trial {
  const { course, request, nth, what, isUnasked, make } = fault;
  let hasFired = () => false;
  return {
    name: nameOfFault(fault),
    async run(place) {
      const traces = await runForgeCell(place, {
        course,
        limitMs: FAULT_LIMIT_MS,
        begin(world, base) {
          const { faults } = world.forge;
          faults.arm(request, make(world, base), 1, nth - 1);
          hasFired = () => faults.haveFired();
        },
      });
      const counts = countForge(traces);
      return isUnasked && what === LATE_MERGE ? { ...counts, unchecked: 0 } : counts;
    },
    hasFired: () => hasFired(),
  };
}

function isSamePlace(one: ForgeFault, other: ForgeFault): boolean {
  return one.request === other.request && one.nth === other.nth && one.what === other.what;
}
