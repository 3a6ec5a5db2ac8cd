/**
 * How the cost of the engine grows: of a turn with the history before it, of a plain run with the files of the repository and with the runs that are kept there,
 * of a turn with what its agent prints.
 * Each value stands beside a baseline of the same minutes that grows with nothing but the thing itself, so that a ratio says what the engine adds.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { addBare, ownMs, ownTimes } from './baselines.js';
import type { Samples } from './figures.js';
import { median } from './median.js';
import { activityTimes, add, closedWell, type Measuring, measureBaselines, startRun } from './plain-run.js';
import { isQuiet } from './quiet-run.js';
import { makeLargeRepository, makeRepositoryWithKept } from './repositories.js';
import { timedProcess } from './timed-process.js';
import { until } from './until.js';

export const CURVES = {
  history: {
    sizes: [10, 100, 1_000],
    unit: 'accepted messages before it',
    subject: 'another turn',
    baseline: 'emptyActivityMs',
  },
  files: {
    sizes: [100, 10_000, 100_000],
    unit: 'files',
    subject: 'a plain run',
    baseline: '2 × worktreeAddMs of that repository',
  },
  kept: {
    // With those that are measured fewer than 2 000: the engine looks through no more worktrees of one repository.
    sizes: [20, 200, 1_900],
    unit: 'kept runs',
    subject: 'a plain run',
    baseline: '2 × worktreeAddMs of that repository',
  },
  output: {
    sizes: [1, 10, 100],
    unit: 'MB printed',
    subject: 'a read-only turn',
    baseline: 'the agent by hand, into a file',
  },
} as const;

export type Curve = keyof typeof CURVES;

const NAMES = ['history', 'files', 'kept', 'output'] as const satisfies readonly Curve[];

/** Where a run has its budget in worktree adds of the same repository. */
const MOST_FILES = 100_000;
/** Of a run: that of its worktree and that of its validation. */
const CHECKOUTS = 2;
/** Updates of one run that the server takes at once. */
const MESSAGES_AT_ONCE = 8;
/** Of the turns behind the messages, in their order: architecting, executing, reviewing, verifying. */
const WRITE_TURN = 1;

export interface GrowthPoint {
  readonly curve: Curve;
  readonly size: number;
  readonly measuredMs: number;
  readonly baselineMs: number;
  /** Measured by baseline. */
  readonly ratio: number;
  /** Measured by what was measured at the smallest size. */
  readonly toSmallest: number;
}

/** `sizes`: how many of them, smallest first. */
export async function measureGrowth(
  measuring: Measuring,
  { times, sizes: count }: { times: number; sizes: number },
): Promise<void> {
  for (const curve of NAMES) {
    const sizes = CURVES[curve].sizes.slice(0, count);
    const places = await repositoriesFor(curve, measuring, sizes);
    // Size by size in each round: minutes that are busy burden all of them.
    for (let n = 0; n < times; n += 1) {
      for (const size of sizes) await MEASURES[curve](places.get(size) ?? measuring, { size, n });
    }
  }
  const filesRatio = filesRatioOf(measuring.samples);
  if (filesRatio !== null) add(measuring.samples, 'filesRatio', filesRatio);
}

/**
 * A plain run among the most files by one worktree add there, of each the least that was measured: for minutes ext4 makes files anew where some were removed only
 * after a look at each of those, which costs whoever comes first up to fifteen times as much. Null: it was not measured. Errors: plain Error for a run that took less than
 * its two checkouts, for then the two were not measured on equal terms.
 */
export function filesRatioOf(samples: Samples): number | null {
  const least = (what: 'measured' | 'baseline') => Math.min(...(samples[sampleName('files', MOST_FILES, what)] ?? []));
  const ratio = (CHECKOUTS * least('measured')) / least('baseline');
  if (Number.isNaN(ratio)) return null;
  if (ratio < CHECKOUTS) throw new Error(`a run among ${MOST_FILES} files took ${ratio} worktree adds, but makes two`);
  return ratio;
}

/** What was measured, smallest size first. */
export function growthOf(samples: Samples): readonly GrowthPoint[] {
  return NAMES.flatMap((curve) => {
    const points = CURVES[curve].sizes.flatMap((size) => {
      const measuredMs = median(samples[sampleName(curve, size, 'measured')] ?? []);
      const baselineMs = median(samples[sampleName(curve, size, 'baseline')] ?? []);
      return measuredMs === null || baselineMs === null ? [] : [{ curve, size, measuredMs, baselineMs }];
    });
    const smallest = points[0]?.measuredMs ?? Number.NaN;
    return points.map((point) => ({
      ...point,
      ratio: point.measuredMs / point.baselineMs,
      toSmallest: point.measuredMs / smallest,
    }));
  });
}

interface Step {
  readonly size: number;
  readonly n: number;
}

const MEASURES: Readonly<Record<Curve, (measuring: Measuring, step: Step) => Promise<void>>> = {
  history: afterMessages,
  files: (measuring, step) => runThere('files', measuring, step),
  kept: (measuring, step) => runThere('kept', measuring, step),
  output: turnThatPrints,
};

/** The first turn is held while the run is renamed again and again; measured are the turns behind it. */
async function afterMessages({ host, empty, samples }: Measuring, { size, n }: Step): Promise<void> {
  add(samples, sampleName('history', size, 'baseline'), await empty.measure());
  host.agent.hold();
  const runId = `bench-history-${size}-${n}`;
  const handle = await startRun(host, runId);
  await until(`the agent of ${runId} is at work`, async () => host.agent.starts().has(`${runId} planning`));
  for (let sent = 0; sent < size; sent += MESSAGES_AT_ONCE) {
    const batch = Array.from({ length: Math.min(MESSAGES_AT_ONCE, size - sent) }, (_, index) =>
      rename(handle, sent + index),
    );
    await Promise.all(batch);
  }
  await until(`nothing but the turn of ${runId} is under way`, () => isQuiet(handle, 1));
  const before = (await handle.describe()).historyLength;
  rmSync(host.agent.holdPath);
  await closedWell(handle);
  const { agentMs } = await ownTimes(host, runId);
  const { events } = await handle.fetchHistory();
  const turns = activityTimes(events ?? []).filter(({ name }) => name === 'runTurn');
  for (const [index, { ms }] of turns.slice(1).entries()) {
    if (index !== WRITE_TURN) add(samples, sampleName('history', size, 'measured'), ms - agentMs);
  }
  add(samples, `history${size}Events`, before);
}

async function rename(handle: WorkflowHandle, n: number): Promise<void> {
  await handle.executeUpdate('rename', { args: [{ title: `Title ${n}` }] });
}

/** One for each size, where the curve is about repositories. */
async function repositoriesFor(
  curve: Curve,
  measuring: Measuring,
  sizes: readonly number[],
): Promise<ReadonlyMap<number, Measuring>> {
  const { host } = measuring;
  const owner = { home: host.home, configText: host.agent.configText };
  const make = { files: makeLargeRepository, kept: makeRepositoryWithKept, history: null, output: null }[curve];
  const places = new Map<number, Measuring>();
  if (make === null) return places;
  for (const size of sizes) {
    const repository = await make(owner, join(host.folder, `${curve}-${size}`), size);
    places.set(size, { ...measuring, host: { ...host, repository } });
  }
  return places;
}

/** A look at all files by hand is kept as well. */
async function runThere(curve: Curve, { host, samples }: Measuring, { size, n }: Step): Promise<void> {
  // Whoever is first pays for what was removed before, such as the validation's checkout of the last run: where a budget is at stake it is neither of those that are compared.
  if (size === MOST_FILES) await addBare(host);
  // It stays: for minutes ext4 gives no file the inode of one that was removed, and looks at all of those whenever one is made.
  const { ms: addMs } = await addBare(host);
  add(samples, sampleName(curve, size, 'baseline'), CHECKOUTS * addMs);
  add(
    samples,
    `${curve}${size}StatusMs`,
    await timedProcess(['git', 'status', '--porcelain'], { cwd: host.repository }),
  );
  const runId = `bench-${curve}-${size}-${n}`;
  const began = performance.now();
  await closedWell(await startRun(host, runId));
  const took = performance.now() - began - ownMs(await ownTimes(host, runId));
  add(samples, sampleName(curve, size, 'measured'), took);
}

async function turnThatPrints(measuring: Measuring, { size, n }: Step): Promise<void> {
  const { host, samples } = measuring;
  await measureBaselines(measuring);
  const runId = `bench-output-${size}-${n}`;
  host.agent.prints('planning', size);
  try {
    const handle = await startRun(host, runId);
    await closedWell(handle);
    const turns = join(host.repository, '.sluice/runs', runId, 'turns');
    const own = readdirSync(turns).find((name) => name.endsWith('-planning')) ?? 'none';
    const prompt = readFileSync(join(turns, own, 'prompt.md'), 'utf8');
    const byHand = await host.agent.byHand('planning', prompt, 'kept');
    const { events } = await handle.fetchHistory();
    const planning = activityTimes(events ?? []).find(({ name }) => name === 'runTurn');
    add(samples, sampleName('output', size, 'baseline'), byHand);
    add(samples, sampleName('output', size, 'measured'), (planning?.ms ?? Number.NaN) - byHand);
  } finally {
    host.agent.prints('planning', 0);
  }
}

function sampleName(curve: Curve, size: number, what: 'measured' | 'baseline'): string {
  return `${curve}${size}${what === 'measured' ? 'Ms' : 'BaselineMs'}`;
}
