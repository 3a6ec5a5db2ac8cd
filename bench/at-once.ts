/**
 * Many runs at once, in one repository or spread over several: wall time with nothing subtracted, and the peak of what our processes and the server hold.
 * A run that does not end merge_ready with five agents started once each is lost; the figure `lostRuns` counts them.
 */
import { join } from 'node:path';
import type { RunInput, RunResult } from '../protocol/messages/messages.js';
import { TURNS } from './bench-agent.js';
import { type BenchHost, say } from './bench-host.js';
import type { FigureName, Samples } from './figures.js';
import { residentMb } from './home-processes.js';
import { add, type Measuring, measureBaselines, startRun } from './plain-run.js';
import { makeSmallRepository } from './repositories.js';

/** A look reads the whole process table, which costs the machine some 50 ms. */
const LOOK_MS = 1_000;

export interface Crowd {
  /** Part of the run ids. */
  readonly name: string;
  readonly runs: number;
  readonly repositories: number;
  readonly times: number;
  /** Where wall time and our peak memory go. */
  readonly time: FigureName;
  readonly memory: FigureName;
}

export async function measureAtOnce(measuring: Measuring, crowd: Crowd): Promise<void> {
  const { host, samples } = measuring;
  const places = await placesFor(host, crowd);
  for (let n = 0; n < crowd.times; n += 1) {
    await measureBaselines(measuring);
    const peak = { ours: 0, server: 0 };
    const watch = setInterval(() => {
      const { ours, server } = residentMb(host.home);
      Object.assign(peak, { ours: Math.max(peak.ours, ours), server: Math.max(peak.server, server) });
    }, LOOK_MS);
    try {
      const { ms, lost } = await runAtOnce(places, { name: `bench-${crowd.name}-${n}`, runs: crowd.runs });
      add(samples, crowd.time, ms);
      samples['lostRuns'] = [(samples['lostRuns']?.[0] ?? 0) + lost];
    } finally {
      clearInterval(watch);
    }
    keepPeak(samples, crowd.memory, peak.ours);
    keepPeak(samples, 'serverRssMb', peak.server);
  }
}

export interface RunsAtOnce {
  /** Begins the run ids. */
  readonly name: string;
  readonly runs: number;
  readonly policy?: NonNullable<RunInput['policy']>;
}

/** Unit: ms, from the first start to the last end. A run without its five agents is lost. */
export async function runAtOnce(
  places: readonly BenchHost[],
  { name, runs, policy }: RunsAtOnce,
): Promise<{ readonly ms: number; readonly lost: number }> {
  const began = performance.now();
  const ends = await Promise.all(
    Array.from({ length: runs }, async (_, index) => {
      const runId = `${name}-${index}`;
      const place = places[index % places.length];
      if (place === undefined) throw new Error('there is no place to run in');
      return { place, runId, outcome: await outcomeOf(place, runId, policy) };
    }),
  );
  const ms = performance.now() - began;
  return { ms, lost: ends.filter((end) => !isWhole(end)).length };
}

async function placesFor(host: BenchHost, { name, repositories }: Crowd): Promise<readonly BenchHost[]> {
  const owner = { home: host.home, configText: host.agent.configText };
  const others: BenchHost[] = [];
  for (let n = 1; n < repositories; n += 1) {
    others.push({ ...host, repository: await makeSmallRepository(owner, join(host.folder, `project-${name}-${n}`)) });
  }
  return [host, ...others];
}

async function outcomeOf(place: BenchHost, runId: string, policy?: NonNullable<RunInput['policy']>): Promise<string> {
  try {
    const handle = await startRun(place, runId, policy);
    const { outcome } = (await handle.result()) as RunResult; // What the workflow `run` answers.
    return outcome;
  } catch (error) {
    return String(error);
  }
}

interface End {
  readonly place: BenchHost;
  readonly runId: string;
  readonly outcome: string;
}

/** By the agent's own ledger as well as by the outcome; what is not is said. */
function isWhole({ place, runId, outcome }: End): boolean {
  const own = [...place.agent.starts()].filter(([started]) => started.startsWith(`${runId} `));
  const whole = outcome === 'merge_ready' && own.length === TURNS && own.every(([, count]) => count === 1);
  if (!whole) say(`${runId}: ${outcome}; the agent's ledger has ${JSON.stringify(own)}`);
  return whole;
}

function keepPeak(samples: Samples, name: FigureName, mb: number): void {
  if (mb > (samples[name]?.[0] ?? 0)) samples[name] = [mb];
}
