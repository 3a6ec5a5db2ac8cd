/** A small run of the black-box twin (`npm run chaos` has sixty): random processes die at random moments and git dies under them. What was done stands beside a red run. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunTraces } from '../support/run-traces.js';
import { type BlackBoxRun, runBlackBox } from './matrix/black-box.js';
import { recordCourse } from './matrix/lanes.js';
import { COUNTS } from './matrix/verdict.js';

const LIMIT_MS = 600_000;
const RUNS = 2;
const KILLS = 6;
const CLEAN = Object.fromEntries(COUNTS.map((name) => [name, 0]));

describe('runs whose processes die at random', () => {
  let expected: RunTraces;

  beforeAll(async () => {
    expected = (await recordCourse('run')).traces;
  }, LIMIT_MS);

  it(
    'lose nothing and double nothing',
    async () => {
      const runs: BlackBoxRun[] = [];
      const gitDeaths = await runBlackBox({
        runs: RUNS,
        kills: KILLS,
        lanes: RUNS,
        expected,
        onRun: (run) => runs.push(run),
      });

      expect(runs.length).toBeGreaterThanOrEqual(RUNS);
      expect(
        runs
          .filter(({ counts }) => counts === null || COUNTS.some((name) => counts[name] !== 0))
          .map((run) => ({ ...run, gitDeaths })),
      ).toEqual([]);
      expect(runs[0]?.counts).toEqual(CLEAN);
    },
    LIMIT_MS,
  );
});
