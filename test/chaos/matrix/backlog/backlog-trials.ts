/** The trials of the scenario `backlog`: every fault at every step of three tasks that are taken in, run one after the other, and of one that is run again. */
import { failpointsOf } from '../../../../protocol/failpoints.js';
import type { Passage, Point } from '../cells.js';
import type { Trial } from '../landing/trials.js';
import { assertReached } from '../reached.js';
import { runBacklogCell } from './backlog-cell.js';
import { MANY_DEATHS } from './many-deaths.js';
import { taskTrials } from './task-trials.js';
import { countBacklog } from './verdict.js';

const CELL_LIMIT_MS = 120_000;

const NAMES: readonly Point['name'][] = [...failpointsOf('backlog'), 'control.before-start', 'control.after-start'];

/** Errors: as of `taskTrials`. */
export async function backlogTrials(): Promise<readonly Trial[]> {
  const scenario = { cell: runBacklogCell, count: countBacklog, limitMs: CELL_LIMIT_MS };
  // The long one first, beside the others.
  return [MANY_DEATHS, ...(await taskTrials({ ...scenario, points: backlogPoints, assertWhole: assertWholeBacklog }))];
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

export function assertWholeBacklog(points: readonly Point[]): void {
  const names = points.map(({ name }) => name);
  assertReached('backlog', NAMES, names);
}
