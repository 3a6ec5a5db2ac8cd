/**
 * Prints the figures of design section 15, measured in one run on one machine beside their baselines: a table, or with `--json` one line.
 * `--only plain,cli` measures a part; what was not measured is null. The exit code says whether it ran, not whether it was fast.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { measureAtOnce } from './at-once.js';
import { openBenchHost, say } from './bench-host.js';
import { startEmptyActivities } from './empty/empty-worker.js';
import { figuresOf, judge, type Samples } from './figures.js';
import { measureFixRounds } from './fix-rounds.js';
import { measureGates } from './gates.js';
import { measureKill } from './kill.js';
import { measureMidTurn } from './mid-turn.js';
import { closedWell, type Measuring, measureBaselines, measurePlainRuns, startRun } from './plain-run.js';
import { measureCli, measureHelp } from './shell.js';

const PARTS: Readonly<Record<string, (measuring: Measuring) => Promise<void>>> = {
  plain: (measuring) => measurePlainRuns(measuring, 15),
  cli: ({ host, samples }) => measureCli(host, samples, 7),
  help: ({ host, samples }) => measureHelp(host, samples, 9),
  ten: ({ host, samples }) => measureAtOnce(host, samples, { count: 10, times: 3 }),
  hundred: ({ host, samples }) => measureAtOnce(host, samples, { count: 100, times: 1 }),
  rounds: (measuring) => measureFixRounds(measuring, 3),
  gates: (measuring) => measureGates(measuring, 4),
  messages: (measuring) => measureMidTurn(measuring, 5),
  kill: ({ host, samples }) => measureKill(host, samples),
};

/** Slots of a worker whose person set none. */
const MIN_SLOTS = 4;
const WARM_RUNS = 2;
/** Measured whatever part is chosen: budgets are made of them. */
const BASELINES = 3;

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } }, allowPositionals: true });
const parts = values.only?.split(',') ?? Object.keys(PARTS);
const unknown = [...positionals.filter((name) => name !== 'run'), ...parts.filter((name) => !(name in PARTS))];
if (unknown.length > 0) {
  say(`bench: ${unknown.join(', ')} is unknown. There is the bench "run", with --json and --only ${Object.keys(PARTS).join(',')}.`);
  process.exit(1);
}
const samples = await measure(parts);
const figures = figuresOf(samples);
process.stdout.write(values.json === true ? `${JSON.stringify({ ...figures, samples })}\n` : table());

async function measure(chosen: readonly string[]): Promise<Samples> {
  const samples: Samples = { slots: [Math.max(MIN_SLOTS, availableParallelism())] };
  const host = await openBenchHost();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void host.close().finally(() => process.exit(130)));
  try {
    const empty = await startEmptyActivities(host.client, host.address);
    try {
      for (let n = 0; n < WARM_RUNS; n += 1) await closedWell(await startRun(host, `bench-warm-${n}`));
      await empty.measure();
      for (let n = 0; n < BASELINES; n += 1) await measureBaselines({ host, empty, samples });
      for (const part of chosen) {
        say(`measuring: ${part}`);
        await PARTS[part]?.({ host, empty, samples });
      }
    } finally {
      await empty.close();
    }
  } finally {
    await host.close();
  }
  return samples;
}

function table(): string {
  const rows = judge(figures).map(({ name, measured, budget }) => {
    const verdict = budget === null ? '' : measured <= budget ? 'ok' : 'over';
    return `${name.padEnd(22)}${String(measured).padStart(10)}${String(budget ?? '').padStart(12)}  ${verdict}`.trimEnd();
  });
  return `${'figure'.padEnd(22)}${'median'.padStart(10)}${'budget'.padStart(12)}\n${rows.join('\n')}\n`;
}
