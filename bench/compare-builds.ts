/**
 * Plain runs, ten at once, `--help` and the CPU of a run of this build and of another one, taken in turns in the same minutes, each in a home of its own: what
 * a change costs, whatever else the machine does.
 */
import { resolve } from 'node:path';
import { runAtOnce } from './at-once.js';
import { type BenchHost, openBenchHost, say } from './bench-host.js';
import { measureCpu, measureWorkerStart } from './cpu.js';
import type { Samples } from './figures.js';
import { median } from './median.js';
import { add, measurePlainRun } from './plain-run.js';
import { timedHelp } from './shell.js';

const COMPARED = [
  'runMs',
  'openRunMs',
  'otherTurnMs',
  'writeTurnMs',
  'validateMs',
  'closeRunMs',
  'concurrent10Ms',
  'helpMs',
  'workerStartCpuMs',
  'serverCpuMs',
  'workerCpuMs',
  'guardCpuMs',
  'gitCpuMs',
  'engineCpuMs',
  'cliCpuMs',
  'nodeCpuMs',
];
/** One measure of ten runs takes as long as a dozen plain ones. */
const PLAIN_PER_TEN = 3;
const AT_ONCE = 10;
const CPU_RUNS = 40;
const FROM_SHELL = 3;
const WARM_RUNS = 2;
const WIDTH = 14;

interface Side {
  readonly host: BenchHost;
  readonly samples: Samples;
}

/** `checkout`: another built one, with its dependencies. Answers a table: medians, and this build's by the other's. */
export async function compareBuilds(checkout: string, count: number): Promise<string> {
  const own = { host: await openBenchHost(), samples: {} };
  try {
    const other = { host: await openBenchHost({ checkout: resolve(checkout) }), samples: {} };
    try {
      await measureInTurns(own, other, count);
    } finally {
      await other.host.close();
    }
    return table(own.samples, other.samples);
  } finally {
    await own.host.close();
  }
}

async function measureInTurns(own: Side, other: Side, count: number): Promise<void> {
  for (const side of [own, other]) await measureWorkerStart(side);
  say(`measuring: ${count} plain runs of each build`);
  await takeTurns(own, other, WARM_RUNS + count, async ({ host, samples }, n) =>
    measurePlainRun({ host, samples: n < WARM_RUNS ? {} : samples }, `bench-compared-${n}`),
  );
  const crowds = Math.ceil(count / PLAIN_PER_TEN);
  say(`measuring: ${crowds} times ${AT_ONCE} runs at once of each build`);
  await takeTurns(own, other, crowds, async ({ host, samples }, n) => {
    const { ms, lost } = await runAtOnce([host], { name: `bench-crowd-${n}`, runs: AT_ONCE });
    if (lost > 0) throw new Error(`${lost} of ${AT_ONCE} runs at once were lost`);
    add(samples, 'concurrent10Ms', ms);
  });
  say(`measuring: ${count} times --help of each build`);
  await takeTurns(own, other, count, async ({ host, samples }) => add(samples, 'helpMs', await timedHelp(host)));
  say(`measuring: ${crowds} times the CPU of ${CPU_RUNS} runs at once of each build`);
  await takeTurns(own, other, crowds, (side, n) =>
    measureCpu(side, { name: `bench-cpu-${n}`, runs: CPU_RUNS, fromShell: FROM_SHELL }),
  );
}

/** Neither is always the first of a pair. */
async function takeTurns(
  own: Side,
  other: Side,
  count: number,
  measure: (side: Side, n: number) => Promise<void>,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    for (const side of n % 2 === 0 ? [own, other] : [other, own]) await measure(side, n);
  }
}

function table(own: Samples, other: Samples): string {
  const cells = (...texts: readonly string[]) => texts.map((text) => text.padStart(WIDTH)).join('');
  const rows = COMPARED.map((name) => {
    const [mine, theirs] = [median(own[name] ?? []) ?? Number.NaN, median(other[name] ?? []) ?? Number.NaN];
    return cells(name, mine.toFixed(1), theirs.toFixed(1), (mine / theirs).toFixed(3));
  });
  return `${[cells('median', 'this build', 'the other', 'ratio'), ...rows].join('\n')}\n`;
}
