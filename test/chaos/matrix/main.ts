/**
 * `npm run chaos`: every fault at every failpoint of every stage, in homes side by side, then the black-box twin. Writes docs/kill-matrix.json, of which the table in
 * docs/guarantees.md is made (`npm run docs`). A word says which scenario: `run`, which is meant without one, `landing`, `landing-forge`, with all that a forge does wrong too, `backlog`, or `steps`; these write no table. `web` kills at random what the page stands on, `--kills` times. `--only <text>` takes the cells whose name holds it and writes nothing; `--lanes <n>`; `--json`: one object a line.
 * Exit codes: 0 nothing lost and nothing doubled, 1 else.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SCENARIOS } from '../../../protocol/failpoints.js';
import { beginCampaign } from '../../../tools/campaigns.js';
import { backlogTrials } from './backlog/backlog-trials.js';
import { type BlackBoxRun, runBlackBox } from './black-box.js';
import { cellsOf, nameOfCell } from './cells.js';
import { tryAll } from './landing/every-trial.js';
import { landingTrials } from './landing/landing-trials.js';
import { forgeTrials } from './landing-forge/forge-trials.js';
import { type CellResult, recordCourses, runCells } from './lanes.js';
import { stepsTrials } from './steps/steps-trials.js';
import { type BlackBoxSummary, RESULT_FILE, summaryOf } from './summary.js';
import { isClean } from './verdict.js';
import { runWebNight } from './web/web-night.js';

/** On two cores the waiting for heartbeats and restarts leaves room for so many. */
const LANES = 8;
const RUNS = 60;
const KILLS = 300;
const WEB_KILLS = 100;

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    lanes: { type: 'string' },
    json: { type: 'boolean' },
    cells: { type: 'boolean' },
    blackbox: { type: 'boolean' },
    kills: { type: 'string' },
  },
  allowPositionals: true,
});
// It kills at random, and has no cells.
if (positionals[0] === 'web') {
  const passed = beginCampaign('chaos -- web');
  const faults = await runWebNight({ kills: Number(values.kills ?? WEB_KILLS), note: (text) => console.error(text) });
  if (faults === 0 && values.kills === undefined) passed();
  process.exit(faults === 0 ? 0 : 1);
}
const unknown = positionals.filter((name) => !SCENARIOS.some((one) => one === name));
if (unknown.length > 0) {
  console.error(`chaos: there are no cells of ${unknown.join(', ')}. There are the scenarios ${SCENARIOS.join(', ')}.`);
  process.exit(1);
}
const lanes = Number(values.lanes ?? LANES);
const whole = values.only === undefined && values.cells !== true && values.blackbox !== true;
const say = progress(values.json === true);

const OTHERS = {
  landing: landingTrials,
  'landing-forge': forgeTrials,
  backlog: backlogTrials,
  steps: stepsTrials,
} as const;

for (const name of ['landing', 'landing-forge', 'backlog', 'steps'] as const) {
  if (!positionals.includes(name)) continue;
  const passed = beginCampaign(`chaos -- ${name}`);
  const unclean = await tryAll({ name, record: OTHERS[name], only: values.only ?? null, lanes, note: say.note });
  if (unclean === 0 && values.only === undefined) passed();
  process.exit(unclean === 0 ? 0 : 1);
}
const passed = beginCampaign('chaos');
say.note('recording one undisturbed run of each course');
const recorded = await recordCourses();
const { expected } = recorded;
const cells = cellsOf(recorded.points).filter(
  (cell) => values.only === undefined || nameOfCell(cell).includes(values.only),
);
const results = values.blackbox === true ? [] : await everyCell();
const blackBox = values.cells === true || values.only !== undefined ? null : await everyRun();

if (whole && blackBox !== null)
  writeFileSync(RESULT_FILE, `${JSON.stringify(summaryOf(results, blackBox), null, 2)}\n`);
const failed = results.filter(({ counts }) => counts === null || !isClean(counts)).length + (blackBox?.unclean ?? 0);
say.note(
  `${results.length - failed} of ${results.length} cells clean${blackBox === null ? '' : `; ${blackBox.runs} runs of the black box, ${blackBox.unclean} unclean`}`,
);
if (whole && failed === 0) passed();
process.exitCode = failed === 0 ? 0 : 1;

async function everyCell(): Promise<readonly CellResult[]> {
  const done: CellResult[] = [];
  const again: CellResult[] = [];
  const take = (into: CellResult[]) => (result: CellResult) => {
    into.push(result);
    say.cell(result, done.length + again.length, cells.length);
  };
  await runCells({
    cells,
    recorded,
    lanes,
    onResult: (result) => take(result.counts === null && result.error === null ? again : done)(result),
  });
  // A point that did not come by in the same place: tasks may fall together otherwise under load. Once more, then it stands.
  await runCells({ cells: again.map(({ cell }) => cell), recorded, lanes, onResult: (result) => done.push(result) });
  for (const result of done)
    if (result.counts === null)
      say.note(`${nameOfCell(result.cell)}: ${result.error ?? 'did not fire twice, so it does not count'}`);
  return done;
}

async function everyRun(): Promise<BlackBoxSummary & { readonly unclean: number }> {
  const runs: BlackBoxRun[] = [];
  const onRun = (run: BlackBoxRun) => {
    runs.push(run);
    say.run(run, runs.length, RUNS);
  };
  const gitDeaths = await runBlackBox({ runs: RUNS, kills: KILLS, lanes, expected, onRun });
  const strikes = { worker: 0, guard: 0, server: 0, engine: 0, all: 0, stop: 0 };
  for (const run of runs)
    for (const [target, count] of Object.entries(run.strikes)) strikes[target as keyof typeof strikes] += count; // The same keys.
  const counts = runs.map((run) => run.counts);
  return {
    runs: runs.length,
    strikes,
    gitDeaths,
    counts,
    unclean: counts.filter((one) => one === null || !isClean(one)).length,
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
