/** Plain runs of this build and of another one, taken in turns in the same minutes, each in a home of its own: what a change costs, whatever else the machine does. */
import { resolve } from 'node:path';
import { type BenchHost, openBenchHost, say } from './bench-host.js';
import type { Samples } from './figures.js';
import { median } from './median.js';
import { measurePlainRun } from './plain-run.js';

const COMPARED = ['runMs', 'openRunMs', 'otherTurnMs', 'writeTurnMs', 'validateMs', 'closeRunMs'] as const;
const WARM_RUNS = 2;
const WIDTH = 14;

interface Side {
  readonly host: BenchHost;
  readonly samples: Samples;
}

/** `build`: an absolute or relative `dist` folder with its dependencies beside it. Answers a table: medians, and this build's by the other's. */
export async function compareBuilds(build: string, count: number): Promise<string> {
  const own = { host: await openBenchHost(), samples: {} };
  try {
    const other = { host: await openBenchHost({ build: resolve(build) }), samples: {} };
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
  say(`measuring: ${count} plain runs of each build`);
  for (let n = 0; n < WARM_RUNS + count; n += 1) {
    // Neither is always the first of a pair.
    for (const { host, samples } of n % 2 === 0 ? [own, other] : [other, own]) {
      await measurePlainRun({ host, samples: n < WARM_RUNS ? {} : samples }, `bench-compared-${n}`);
    }
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
