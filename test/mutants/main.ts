/**
 * `npm run mutants`: applies each mutant to a private copy of the tree and runs the one test that must turn red. A survivor, a run that
 * says nothing, or a test that is red without any mutant, fails the command. What was found goes into docs/mutants.json and docs/mutants.md.
 */
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { beginCampaign } from '../../tools/campaigns.js';
import { PAGE_FILE, RESULTS_FILE, renderMutants, renderResults, withEarlier } from '../../tools/mutants-page.js';
import { wholeNumber } from '../support/whole-number.js';
import { findNotCompiled } from './compiles.js';
import { isLate, judge, judgeBuilt, type Verdict } from './judge.js';
import { Lane, removeFolder } from './lane.js';
import { type Mutant, type MutantResult, resultOf } from './mutant.js';
import { MUTANTS } from './mutants.js';
import { createReporter, type Reporter } from './reporter.js';
import { shareOut } from './share-out.js';

/** As many as a small machine has cores. */
const LANES = 2;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
    lanes: { type: 'string' },
  },
});
const { only } = values;
const width = wholeNumber('lanes', values.lanes) ?? LANES;
const passed = beginCampaign('mutants');
const chosen = MUTANTS.filter(
  ({ name, area }) => only === undefined || only.some((word) => area === word || name.includes(word)),
);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(`ended by ${signal}.`));

if (chosen.length === 0) {
  console.error(
    `no mutant is called ${only?.join(' or ')}, and no area is. Nothing was tried. Areas: ${[...new Set(MUTANTS.map(({ area }) => area))].join(', ')}`,
  );
  process.exitCode = 1;
} else {
  const areKilled = await tryAll(chosen, createReporter({ json: values.json, total: chosen.length })).catch(
    (error: unknown) => {
      if (!stop.signal.aborted) throw error;
      console.error(stop.signal.reason, 'Nothing was written.');
      return false;
    },
  );
  if (areKilled && only === undefined) passed();
  process.exitCode = areKilled ? 0 : 1;
}

/** Answers whether every mutant was killed. */
async function tryAll(mutants: readonly Mutant[], reporter: Reporter): Promise<boolean> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sm-')));
  // Tests start programs as another user, who must come through here.
  chmodSync(folder, 0o711);
  try {
    const lanes = await openLanes(folder, reporter);
    const [first] = lanes;
    if (first === undefined) throw new Error('there is no lane');
    reporter.phase('compiling every mutant');
    const notTried = new Map<Mutant, string>();
    for (const { mutant, why } of await findNotCompiled(first, mutants))
      notTried.set(mutant, `it does not compile: ${why.trim()}`);
    reporter.phase('the named tests without any mutant');
    for (const [mutant, why] of await notGreen(lanes, mutants)) notTried.set(mutant, why);
    const results = await tryEach(lanes, { mutants, notTried }, reporter);
    reporter.end(results);
    writeResults(results);
    return results.every(({ killed }) => killed);
  } finally {
    removeFolder(folder);
  }
}

async function openLanes(folder: string, reporter: Reporter): Promise<readonly Lane[]> {
  reporter.phase('copying and building the tree');
  const names = Array.from({ length: width }, (_, index) => String(index));
  const [first, ...others] = names.map((name) => new Lane(join(folder, name), stop.signal));
  if (first === undefined) return [];
  await first.build(process.cwd());
  for (const lane of others) lane.copyOf(first);
  return [first, ...others];
}

/** A test that is red by itself would kill every mutant. */
async function notGreen(lanes: readonly Lane[], mutants: readonly Mutant[]): Promise<ReadonlyMap<Mutant, string>> {
  const found = new Map<Mutant, string>();
  const files = [...new Set(mutants.map(({ test }) => test.file))];
  await shareOut(
    { lanes, stop },
    longestFirst(files, (file) => file),
    async (lane, file) => {
      const named = mutants.filter(({ test }) => test.file === file);
      const report = await lane.jest(file, [...new Set(named.map(({ test }) => test.title))]);
      stop.signal.throwIfAborted();
      for (const mutant of named) {
        const verdict = judge(report, mutant.test.title);
        if (verdict.kind !== 'green') found.set(mutant, `its test is not green without any mutant: ${verdict.why}`);
      }
    },
  );
  return found;
}

interface Trial {
  readonly mutants: readonly Mutant[];
  /** With the reason. */
  readonly notTried: ReadonlyMap<Mutant, string>;
}

async function tryEach(
  lanes: readonly Lane[],
  { mutants, notTried }: Trial,
  reporter: Reporter,
): Promise<readonly MutantResult[]> {
  const verdicts = new Map<Mutant, Verdict>();
  const attempt = async (lane: Lane, mutant: Mutant, isAlone: boolean): Promise<void> => {
    const began = performance.now();
    const why = notTried.get(mutant);
    reporter.begin(mutant);
    const verdict: Verdict = why === undefined ? await verdictOf(lane, mutant) : { kind: 'nothing', why };
    stop.signal.throwIfAborted();
    verdicts.set(mutant, verdict);
    if (isAlone || !isLate(verdict)) reporter.tried(mutant, verdict, performance.now() - began);
  };
  const jobs = longestFirst(mutants, ({ test }) => test.file);
  await shareOut({ lanes, stop }, jobs, (lane, mutant) => attempt(lane, mutant, false));
  // Whoever is late beside the other lanes may be in time alone, and then was not found.
  const late = jobs.filter((mutant) => isLate(verdicts.get(mutant) ?? { kind: 'green' }));
  await shareOut({ lanes: lanes.slice(0, 1), stop }, late, (lane, mutant) => attempt(lane, mutant, true));
  return mutants.map((mutant) => resultOf(mutant, verdicts.get(mutant)?.kind === 'red'));
}

function verdictOf(lane: Lane, mutant: Mutant): Promise<Verdict> {
  const { file, title } = mutant.test;
  return judgeBuilt(() => lane.with(mutant, async () => judge(await lane.jest(file, [title]), title)));
}

/** Tests with a server of their own take longest. */
function longestFirst<T>(jobs: readonly T[], fileOf: (job: T) => string): readonly T[] {
  const isUnit = (job: T) => fileOf(job).startsWith('test/unit/');
  return [...jobs.filter((job) => !isUnit(job)), ...jobs.filter(isUnit)];
}

/** Those that were not tried this time keep what was found of them. */
function writeResults(results: readonly MutantResult[]): void {
  writeFileSync(RESULTS_FILE, renderResults(withEarlier(results)));
  writeFileSync(PAGE_FILE, renderMutants());
}
