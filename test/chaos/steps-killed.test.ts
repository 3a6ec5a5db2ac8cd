/** A sample of the scenario `steps` of the kill matrix (`npm run chaos -- steps` is the whole): each fault once while tasks are compared, judged, asked about, and run by the steps of their plans. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { trialOf } from './matrix/backlog/task-trials.js';
import type { Cell, Fault, Point } from './matrix/cells.js';
import { runTrials, type TrialResult } from './matrix/landing/trials.js';
import { STEPS_SCENARIO } from './matrix/steps/steps-trials.js';
import { STEPS_COUNTS } from './matrix/steps/verdict.js';

const LIMIT_MS = 300_000;

const CLEAN = Object.fromEntries(STEPS_COUNTS.map((name) => [name, 0]));

/** `where` null: whichever of the asks is the `nth` of its worker. */
function cell(fault: Fault, name: Point['name'], where: string | null, nth = 1): Cell {
  return { fault, point: { course: 'tasks', name, role: 'worker', where, nth, stage: where ?? `ask ${nth}` } };
}

/** Several in one course, so that it takes half a minute. */
const TRIALS = [
  [
    cell('worker', 'admit.before-index', 'admit 1'),
    cell('guard', 'ask.after-checkout', null, 2),
    cell('all', 'turn.before-start', 'runTurn 3'),
  ],
  [
    cell('engine', 'run-file.after-rename', 'writeQuestions 1', 2),
    cell('stop', 'ask.before-record', null, 2),
    cell('server', 'validate.before-record', 'validate 1'),
  ],
].map((cells) => trialOf(STEPS_SCENARIO, cells));

describe('tasks that are judged, planned and run by their steps, and meet faults', () => {
  const results = new Map<string, TrialResult>();

  beforeAll(async () => {
    await runTrials({
      trials: TRIALS,
      lanes: TRIALS.length,
      onResult: (result) => results.set(result.trial.name, result),
    });
  }, LIMIT_MS);

  it.each(TRIALS.map(({ name }) => name))('%s: loses nothing and doubles nothing', (name) => {
    const result = results.get(name);

    expect({ counts: result?.counts, error: result?.error }).toEqual({ counts: CLEAN, error: null });
  });
});
