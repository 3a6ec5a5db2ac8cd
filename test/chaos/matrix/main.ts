/**
 * `npm run chaos`: every fault at every failpoint of every stage, in homes side by side, then the black-box twin. Writes docs/kill-matrix.json, of which the table in
 * docs/guarantees.md is made (`npm run docs`). A word says which scenario: `run`, which is meant without one, `landing`, `landing-forge`, with all that a forge does wrong too, `backlog`, or `steps`; these write no table. `web` kills at random what the page stands on, `--kills` times. `--only <text>` takes the cells whose name holds it and writes nothing; `--lanes <n>`; `--json`: one object a line.
 * Exit codes: 0 something was tried, nothing lost and nothing doubled, 130 and 143 ended by a signal, 1 else.
 */
import { writeFileSync } from 'node:fs';
import { beginCampaign } from '../../../tools/campaigns.js';
import { runCampaign } from '../../support/close-at-end.js';
import { backlogTrials } from './backlog/backlog-trials.js';
import { type BlackBoxRun, killsIn, runBlackBox } from './black-box.js';
import { type Cell, cellsOf, nameOfCell } from './cells.js';
import { tryAll } from './landing/every-trial.js';
import { landingTrials } from './landing/landing-trials.js';
import { forgeTrials } from './landing-forge/forge-trials.js';
import { type Recorded, recordCourses, runCells } from './lanes.js';
import { stepsTrials } from './steps/steps-trials.js';
import { type BlackBoxSummary, RESULT_FILE, summaryOf } from './summary.js';
import { isPassed } from './tally.js';
import type { CellResult } from './trip-verdict.js';
import { isClean } from './verdict.js';
import { type Wanted, wantedOf } from './wanted.js';
import { runWebNight } from './web/web-night.js';

const RUNS = 60;
const KILLS = 300;
const WEB_KILLS = 100;

const OTHERS = {
  landing: landingTrials,
  'landing-forge': forgeTrials,
  backlog: backlogTrials,
  steps: stepsTrials,
} as const;

const wanted = wantedOrRefused();
const say = progress(wanted.json);
await runCampaign(() => campaignOf(wanted));

function wantedOrRefused(): Wanted {
  try {
    return wantedOf(process.argv.slice(2));
  } catch (error) {
    console.error(`chaos: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

/** Answers whether it passed. */
async function campaignOf({ scenario, only, lanes, kills }: Wanted): Promise<boolean> {
  if (scenario === 'run') return matrixOf(wanted);
  const passed = beginCampaign(`chaos -- ${scenario}`);
  const isWhole = only === null && kills === null;
  // The one that kills at random has no cells.
  const hasPassed =
    scenario === 'web'
      ? (await runWebNight({ kills: kills ?? WEB_KILLS, note: (text) => console.error(text) })) === 0
      : await tryAll({ name: scenario, record: OTHERS[scenario], only, lanes, note: say.note });
  if (hasPassed && isWhole) passed();
  return hasPassed;
}

async function matrixOf({ only, cells: isWithoutBox, blackbox: isBoxAlone }: Wanted): Promise<boolean> {
  const passed = beginCampaign('chaos');
  say.note('recording one undisturbed run of each course');
  const recorded = await recordCourses();
  const cells = cellsOf(recorded.points).filter((cell) => only === null || nameOfCell(cell).includes(only));
  const results = isBoxAlone ? null : await everyCell(cells, recorded);
  const blackBox = isWithoutBox || only !== null ? null : await everyRun(recorded);
  const parts = [...(results === null ? [] : [results]), ...(blackBox === null ? [] : [blackBox])];
  for (const { sentence } of parts) say.note(sentence);
  const hasPassed = parts.length > 0 && parts.every((part) => part.hasPassed);
  if (results !== null && blackBox !== null) {
    // It counts by cells, and so has no place for what only several of them did.
    if (results.failedTrips === 0)
      writeFileSync(RESULT_FILE, `${JSON.stringify(summaryOf(results.done, blackBox.summary), null, 2)}\n`);
    if (hasPassed) passed();
  }
  return hasPassed;
}

interface Part {
  readonly hasPassed: boolean;
  /** For people. */
  readonly sentence: string;
}

interface CellsPart extends Part {
  readonly done: readonly CellResult[];
  /** Runs of several cells. */
  readonly failedTrips: number;
}

async function everyCell(cells: readonly Cell[], recorded: Recorded): Promise<CellsPart> {
  const done: CellResult[] = [];
  const again: CellResult[] = [];
  let failedTrips = 0;
  const onTripFailed = (failure: string) => {
    failedTrips += 1;
    say.note(failure);
  };
  const onFirst = (result: CellResult) => {
    (result.counts === null && result.error === null ? again : done).push(result);
    say.cell(result, done.length + again.length, cells.length);
  };
  const work = { recorded, lanes: wanted.lanes, onTripFailed };
  await runCells({ ...work, cells, onResult: onFirst });
  // A point that did not come by in the same place: tasks may fall together otherwise under load. Once more, then it stands.
  await runCells({ ...work, cells: again.map(({ cell }) => cell), onResult: (result) => done.push(result) });
  for (const { cell, counts, error } of done)
    if (counts === null) say.note(`${nameOfCell(cell)}: ${error ?? 'did not fire twice, so it does not count'}`);
  const unclean = done.filter(({ counts }) => counts === null || !isClean(counts)).length;
  const ofTrips = failedTrips === 0 ? '' : `; ${failedTrips} runs of several cells failed`;
  return {
    done,
    failedTrips,
    hasPassed: isPassed({ wanted: cells.length, done: done.length, unclean: unclean + failedTrips }),
    sentence: `${done.length - unclean} of ${cells.length} cells clean${ofTrips}`,
  };
}

async function everyRun({ expected }: Recorded): Promise<Part & { readonly summary: BlackBoxSummary }> {
  const runs: BlackBoxRun[] = [];
  const onRun = (run: BlackBoxRun) => {
    runs.push(run);
    say.run(run, runs.length, RUNS);
  };
  const gitDeaths = await runBlackBox({ runs: RUNS, kills: KILLS, lanes: wanted.lanes, expected, onRun });
  const strikes = { worker: 0, guard: 0, server: 0, engine: 0, all: 0, stop: 0 };
  for (const run of runs)
    for (const [target, count] of Object.entries(run.strikes)) strikes[target as keyof typeof strikes] += count; // The same keys.
  const counts = runs.map((run) => run.counts);
  const unclean = counts.filter((one) => one === null || !isClean(one)).length;
  return {
    summary: { runs: runs.length, strikes, gitDeaths, counts },
    hasPassed: runs.length >= RUNS && killsIn({ strikes }) >= KILLS && unclean === 0,
    sentence: `${runs.length} runs of the black box, ${unclean} unclean`,
  };
}

function progress(json: boolean) {
  const print = (line: string, object: object) => console.log(json ? JSON.stringify(object) : line);
  return {
    note: (text: string) => print(text, { note: text }),
    cell(result: CellResult, n: number, of: number) {
      const word =
        result.error ??
        (result.counts === null ? 'did not fire' : isClean(result.counts) ? 'clean' : JSON.stringify(result.counts));
      const quiet = !json && word === 'clean' && !process.stdout.isTTY && n % 50 !== 0;
      if (!quiet)
        print(`${n}/${of} ${nameOfCell(result.cell)}: ${word}`, {
          cell: nameOfCell(result.cell),
          counts: result.counts,
          error: result.error,
        });
    },
    run(run: BlackBoxRun, n: number, of: number) {
      const word = run.error ?? (run.counts === null || isClean(run.counts) ? 'clean' : JSON.stringify(run.counts));
      print(`black box ${n}, of ${of} and more: ${JSON.stringify(run.strikes)}: ${word}`, { run: n, ...run });
    },
  };
}
