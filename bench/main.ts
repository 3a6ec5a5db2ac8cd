/**
 * Prints the figures of docs/performance.md "Measured", measured in one run on one machine beside their baselines: tables, or with `--json` one line.
 * A word says of what: `run`, which is meant without one, `landing`, `landing-forge`, `backlog`, `admission` or `web`.
 * `--only plain,cli` measures parts, in their own order; what was not measured is null. `--brief` tries every part with small numbers. `--save` writes docs/bench.json, of the whole only.
 * `--against <checkout>` compares plain runs, ten at once, help and CPU of this build with those of another built checkout and nothing else.
 * Exit 1: it did not run, it lost a run, or a figure is over its budget by more than its noise; small numbers are not judged.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { endAtSignals } from '../test/support/close-at-end.js';
import { understand } from './asked.js';
import { openBenchHost, say } from './bench-host.js';
import { compareBuilds } from './compare-builds.js';
import { startEmptyActivities } from './empty/empty-worker.js';
import { cpuPerRunOf, figuresOf, findFaults, judge, type Samples } from './figures.js';
import { growthOf } from './growth.js';
import { type Measuring, measureBaselines, warmUp } from './plain-run.js';
import { printed } from './printed.js';
import { type BenchResult, RESULT_FILE } from './result.js';
import { HOSTS, isScenario, SCENARIOS } from './scenarios.js';
import { type MeasuredSpans, measureSpans } from './spans.js';

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    brief: { type: 'boolean' },
    save: { type: 'boolean' },
    only: { type: 'string' },
    against: { type: 'string' },
  },
  allowPositionals: true,
});
const brief = values.brief === true;
const few = (usual: number, least: number) => (brief ? least : usual);

/** In a home of its own, after the others. */
const SPANS = 'spans';

/** Slots of a worker whose person set none. */
const MIN_SLOTS = 4;
/** Measured whatever part is chosen: budgets are made of them. */
const BASELINES = 3;

const partsOf = Object.fromEntries(
  Object.keys(SCENARIOS)
    .filter(isScenario)
    .map((name) => [name, [...Object.keys(SCENARIOS[name](few)), ...(name === 'run' ? [SPANS] : [])]]),
);
const understood = understand({ ...values, words: positionals }, partsOf);
if ('refusal' in understood) {
  say(`bench: ${understood.refusal}`);
  process.exit(1);
}
const { scenario, parts: chosen } = understood;
const PARTS = isScenario(scenario) ? SCENARIOS[scenario](few) : {};
endAtSignals();
if (values.against !== undefined) {
  process.stdout.write(await compareBuilds(values.against, few(15, 1)));
  process.exit();
}
/** A sentence for each part that ended early: what was measured before, and the parts after it, are worth their hour all the same. */
const broken: string[] = [];
const samples = await measure(chosen.filter((name) => name !== SPANS));
const spans = chosen.includes(SPANS) ? await traced() : null;
const figures = figuresOf(samples);
const result: BenchResult = {
  cores: availableParallelism(),
  figures: judge(figures),
  growth: growthOf(samples),
  spans,
};
if (values.save === true && broken.length === 0) writeFileSync(RESULT_FILE, `${JSON.stringify(result, null, 2)}\n`);
process.stdout.write(
  values.json === true
    ? `${JSON.stringify({ ...figures, cpuPerRunMs: cpuPerRunOf(figures), growth: result.growth, spans, samples })}\n`
    : printed(result),
);
const faults = [...broken, ...findFaults(figures, { brief })];
for (const fault of faults) say(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

async function measure(parts: readonly string[]): Promise<Samples> {
  const measured: Samples = { slots: [Math.max(MIN_SLOTS, availableParallelism())] };
  if (parts.length === 0) return measured;
  const host = await openBenchHost(isScenario(scenario) ? HOSTS[scenario] : {});
  try {
    const empty = await startEmptyActivities(host.client, host.address);
    const measuring: Measuring = { host, empty, samples: measured };
    try {
      await warmUp(host, 'bench-warm');
      await empty.measure();
      for (let n = 0; n < BASELINES; n += 1) await measureBaselines(measuring);
      for (const part of parts) {
        say(`measuring: ${part}`);
        await PARTS[part]?.(measuring).catch((error: unknown) => {
          broken.push(`${part} ended early: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
    } finally {
      await empty.close();
    }
  } finally {
    await host.close();
  }
  return measured;
}

async function traced(): Promise<MeasuredSpans> {
  say(`measuring: ${SPANS}`);
  return measureSpans(few(9, 1));
}
