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
import { type JestEnd, type JestReport, judge, judgeBuilt, limitOf, type Verdict } from './judge.js';
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
      console.error(stop.signal.reason, 'What was found until then is written.');
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
  const results = new Map<Mutant, MutantResult>();
  const found = (): readonly MutantResult[] => mutants.flatMap((mutant) => results.get(mutant) ?? []);
  try {
    const lanes = await openLanes(folder, reporter);
    const [first] = lanes;
    if (first === undefined) throw new Error('there is no lane');
    reporter.phase('compiling every mutant');
    const notCompiled = await findNotCompiled(first, mutants);
    reporter.phase('the named tests without any mutant');
    const plain = await tryWithout(lanes, mutants);
    for (const { mutant, why } of notCompiled)
      plain.set(mutant, { kind: 'nothing', why: `it does not compile: ${why.trim()}` });
    await tryEach({ lanes, plain, results }, mutants, reporter);
    reporter.end(found());
    return found().every(({ killed }) => killed);
  } finally {
    if (results.size > 0) writeResults(found());
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

/** How the test of a mutant does without it. A test that is red by itself would kill every mutant. **Unit** ms. */
type Plain = { readonly kind: 'green'; readonly limitMs: number } | { readonly kind: 'nothing'; readonly why: string };

async function tryWithout(lanes: readonly Lane[], mutants: readonly Mutant[]): Promise<Map<Mutant, Plain>> {
  const found = new Map<Mutant, Plain>();
  const files = [...new Set(mutants.map(({ test }) => test.file))];
  await shareOut(
    { lanes, stop },
    longestFirst(files, (file) => file),
    async (lane, file) => {
      const named = mutants.filter(({ test }) => test.file === file);
      const began = performance.now();
      const report = await lane.jest(file, [...new Set(named.map(({ test }) => test.title))]);
      const tookMs = performance.now() - began;
      stop.signal.throwIfAborted();
      for (const mutant of named) found.set(mutant, plainOf(report, mutant.test.title, tookMs));
    },
  );
  return found;
}

function plainOf(report: JestEnd, title: string, tookMs: number): Plain {
  const verdict = judge(report, title);
  if (verdict.kind !== 'green')
    return { kind: 'nothing', why: `its test is not green without any mutant: ${verdict.why}` };
  // Green is only what has a report.
  return { kind: 'green', limitMs: limitOf(report as JestReport, title, tookMs) };
}

interface Trials {
  readonly lanes: readonly Lane[];
  readonly plain: ReadonlyMap<Mutant, Plain>;
  /** Each is added once it is certain. */
  readonly results: Map<Mutant, MutantResult>;
}

async function tryEach(
  { lanes, plain, results }: Trials,
  mutants: readonly Mutant[],
  reporter: Reporter,
): Promise<void> {
  const late: Mutant[] = [];
  const attempt = async (lane: Lane, mutant: Mutant, isAlone: boolean): Promise<void> => {
    const began = performance.now();
    reporter.begin(mutant);
    const verdict = await verdictOf(lane, mutant, plain.get(mutant));
    stop.signal.throwIfAborted();
    if (verdict.kind === 'late' && !isAlone) {
      late.push(mutant);
      return;
    }
    results.set(mutant, resultOf(mutant, verdict.kind === 'red' || verdict.kind === 'late'));
    reporter.tried(mutant, verdict, performance.now() - began);
  };
  const jobs = longestFirst(mutants, ({ test }) => test.file);
  await shareOut({ lanes, stop }, jobs, (lane, mutant) => attempt(lane, mutant, false));
  // Whoever is late beside the other lanes may be in time alone, and then was not found.
  await shareOut({ lanes: lanes.slice(0, 1), stop }, late, (lane, mutant) => attempt(lane, mutant, true));
}

async function verdictOf(lane: Lane, mutant: Mutant, plain: Plain | undefined): Promise<Verdict> {
  if (plain?.kind !== 'green') return plain ?? { kind: 'nothing', why: 'its test was not tried without it' };
  const { file, title } = mutant.test;
  return judgeBuilt(() => lane.with(mutant, async () => judge(await lane.jest(file, [title], plain.limitMs), title)));
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
