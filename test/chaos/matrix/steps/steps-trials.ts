/** The trials of the scenario `steps`: every fault while tasks are compared, judged, asked about, planned, and run by their steps. */
import type { TaskScenario } from '../backlog/task-trials.js';
import { taskTrials } from '../backlog/task-trials.js';
import type { Passage, Point } from '../cells.js';
import type { Trial } from '../landing/trials.js';
import { assertReached } from '../reached.js';
import { runStepsCell } from './steps-cell.js';
import { countSteps, type StepsTraces } from './verdict.js';

export const STEPS_SCENARIO: TaskScenario<StepsTraces> = {
  cell: runStepsCell,
  count: countSteps,
  points: stepsPoints,
  assertWhole: assertWholeSteps,
  limitMs: 240_000,
};

/** Errors: as of `taskTrials`. */
export function stepsTrials(): Promise<readonly Trial[]> {
  return taskTrials(STEPS_SCENARIO);
}

type Names = readonly Point['name'][];

/**
 * Two asks are under way at once, so that it is chance which of them has which number: each passage is told by how many came before it, and which of them are tried stands here. The last is the
 * comparison of the second task; what is asked later is asked as before. Behind its outcome an ask gives up its checkout: that is tried with the first task's last planner, after whom nobody makes
 * that tree anew.
 */
const OF_ASKS: ReadonlyMap<Point['name'], readonly number[]> = new Map([
  ['ask.after-checkout', [1, 2, 3, 4, 5, 6]],
  ['ask.after-outcome', [4]],
  ['ask.before-record', [1, 2, 3, 4, 5]],
  ['ask.after-record', [1, 2, 3, 4, 5]],
]);

/**
 * Told by their activities, whose numbers are certain. What happens around a step and around the file of questions has failpoints already, under the names of what it is a case of:
 * - that file is written as every file that people see: before and after its rename are those of `run-file`;
 * - a tree that was put back for a retry is what the agent of the retry is about to start on, `turn.before-start`: the third turn of a run is the retry of its second step;
 * - a step is made by a turn, and committed as any other: `turn.after-commit`, of a failed try too;
 * - its checks are a validation: before them is `validate.before-command`, after them `validate.before-record`.
 */
const OF_ACTIVITIES: readonly { readonly names: Names; readonly where: RegExp; readonly as: string }[] = [
  { names: ['admit.before-index', 'admit.after-index'], where: /^admit [12]$/, as: 'comparing' },
  { names: ['run-file.before-rename', 'run-file.after-rename'], where: /^writeQuestions [12]$/, as: 'asking people' },
  { names: ['turn.before-start'], where: /^runTurn 3$/, as: 'tree put back' },
  { names: ['turn.after-commit'], where: /^runTurn [1-4]$/, as: 'commit of a step' },
  { names: ['validate.before-command', 'validate.before-record'], where: /^validate 1$/, as: 'check of a step' },
];

const WANTED = [
  ...OF_ACTIVITIES.flatMap(({ names }) => names),
  ...[...OF_ASKS].flatMap(([name, asks]) => asks.map((nth) => wantedOf({ name, where: null, nth }))),
];

/** Each time that one comes by. Of the second task's run nothing: its activities have the same numbers as those of the first. */
export function stepsPoints(passages: readonly Passage[]): readonly Point[] {
  const points: Point[] = [];
  const counts = new Map<string, number>();
  const owners = new Map<string, string | null>();
  for (const { role, name, where, of = null } of passages) {
    if (where === null) continue;
    const known = OF_ACTIVITIES.find((one) => one.names.includes(name) && one.where.test(where));
    const tried = OF_ASKS.get(name);
    const isAsk = tried !== undefined;
    if (known === undefined && !isAsk) continue;
    const key = isAsk ? name : `${name} ${where}`;
    if (!isAsk && (owners.get(key) ?? of) !== of) continue;
    owners.set(key, of);
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    if (tried?.includes(nth) === false) continue;
    const stage = known === undefined ? `ask ${nth}` : `${known.as}, ${where}${nth === 1 ? '' : `, ${nth}. time`}`;
    points.push({ course: 'tasks', name, role, where: isAsk ? null : where, nth, stage });
  }
  return points;
}

export function assertWholeSteps(points: readonly Point[]): void {
  assertReached('steps', WANTED, points.map(wantedOf));
}

/** As it is missed: an ask by its number too. */
function wantedOf({ name, where, nth }: Pick<Point, 'name' | 'where' | 'nth'>): string {
  return where === null ? `${name} of ask ${nth}` : name;
}
