/**
 * A sample of the kill matrix (`npm run chaos` is the whole): every eighth failpoint once, with faults and stages taken in turn. Every cell has a run of its own with a pause, a
 * gate, a fix round and validation, and must leave what a run without a fault leaves, by the agent's ledger, git, the journal file and the process table.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { failpointsOf } from '../../protocol/failpoints.js';
import type { RunTraces } from '../support/run-traces.js';
import { type Cell, cellsOf, FAULTS, nameOfCell, type Point } from './matrix/cells.js';
import { recordCourses, runCells } from './matrix/lanes.js';
import { TURN_STAGES } from './matrix/scenario.js';
import type { CellResult } from './matrix/trip-verdict.js';
import { COUNTS } from './matrix/verdict.js';

const LANES = 4;
const LIMIT_MS = 600_000;

/** One of so many failpoints, so that the sample takes less than a minute. */
const ONE_OF = 8;
const NAMES = failpointsOf('run').filter((_, index) => index % ONE_OF === 0);
const CLEAN = Object.fromEntries(COUNTS.map((name) => [name, 0]));

describe('a run that meets a fault', () => {
  let expected: RunTraces;
  const results = new Map<string, CellResult>();
  const failedTrips: string[] = [];

  beforeAll(async () => {
    const recorded = await recordCourses();
    expected = recorded.expected;
    const cells = sampleOf(recorded.points);
    const work = {
      recorded,
      lanes: LANES,
      onResult: (result: CellResult) => results.set(result.cell.point.name, result),
      onTripFailed: (failure: string) => failedTrips.push(failure),
    };
    await runCells({ ...work, cells });
    const silent = cells.filter(({ point }) => results.get(point.name)?.counts === null);
    await runCells({ ...work, cells: silent });
  }, LIMIT_MS);

  it('and one that meets none starts each agent once, makes a commit for each write, and leaves nothing alive', () => {
    expect(expected).toMatchObject({
      outcome: 'merge_ready',
      agents: TURN_STAGES.map((stage) => stage.replace(' again', '')).flatMap((stage) => [
        `${stage} START`,
        `${stage} END`,
      ]),
      commits: 2,
      living: [],
    });
    expect(expected.journal).toEqual(expect.arrayContaining(['run.paused', 'approval.approved', 'run.completed']));
  });

  it.each(NAMES)('at %s loses nothing and doubles nothing', (name) => {
    const result = results.get(name);

    expect({ cell: result && nameOfCell(result.cell), counts: result?.counts, error: result?.error }).toEqual({
      cell: expect.anything(),
      counts: CLEAN,
      error: null,
    });
  });

  it('and several in one run loses nothing and doubles nothing by their number', () => {
    expect(failedTrips).toEqual([]);
  });
});

/** For each name one of its cells; neighbours have different faults, and one name's cells lie in different stages. */
function sampleOf(points: readonly Point[]): readonly Cell[] {
  const cells = cellsOf(points);
  return NAMES.flatMap((name, index) => {
    const ofName = cells.filter(({ point }) => point.name === name);
    const wanted = ofName.filter(({ fault }) => fault === FAULTS[index % FAULTS.length]);
    const [cell] = (wanted.length > 0 ? wanted : ofName).slice(index % 3);
    return [cell ?? wanted[0] ?? ofName[0]].filter((one) => one !== undefined);
  });
}
