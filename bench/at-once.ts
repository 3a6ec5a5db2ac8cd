/**
 * Many runs at once, in one repository or spread over several: wall time with nothing subtracted, and the peak of what our processes and the server hold.
 * A run that does not end merge_ready with five agents started once each is lost; the figure `lostRuns` counts them.
 */
import { join } from 'node:path';
import type { RunResult } from '../protocol/messages/messages.js';
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
      const began = performance.now();
      const runIds = Array.from({ length: crowd.runs }, (_, index) => `bench-${crowd.name}-${n}-${index}`);
      const ended = await Promise.all(
        runIds.map((runId, index) => outcomeOf(places[index % places.length] ?? host, runId)),
      );
      add(samples, crowd.time, performance.now() - began);
      samples['lostRuns'] = [(samples['lostRuns']?.[0] ?? 0) + lostOf(host, runIds, ended)];
    } finally {
      clearInterval(watch);
    }
    keepPeak(samples, crowd.memory, peak.ours);
    keepPeak(samples, 'serverRssMb', peak.server);
  }
}

async function placesFor(host: BenchHost, { name, repositories }: Crowd): Promise<readonly BenchHost[]> {
  const owner = { home: host.home, configText: host.agent.configText };
  const others: BenchHost[] = [];
  for (let n = 1; n < repositories; n += 1) {
    others.push({ ...host, repository: await makeSmallRepository(owner, join(host.folder, `project-${name}-${n}`)) });
  }
  return [host, ...others];
}

async function outcomeOf(place: BenchHost, runId: string): Promise<string> {
  try {
    const handle = await startRun(place, runId);
    const { outcome } = (await handle.result()) as RunResult; // What the workflow `run` answers.
    return outcome;
  } catch (error) {
    return String(error);
  }
}

/** By the agent's own ledger as well as by the outcome. */
function lostOf({ agent }: BenchHost, runIds: readonly string[], outcomes: readonly string[]): number {
  const starts = [...agent.starts()];
  const lost = runIds.flatMap((runId, index) => {
    const own = starts.filter(([place]) => place.startsWith(`${runId} `));
    const isWhole = outcomes[index] === 'merge_ready' && own.length === TURNS && own.every(([, count]) => count === 1);
    return isWhole ? [] : [`${runId}: ${outcomes[index]}; the agent's ledger has ${JSON.stringify(own)}`];
  });
  for (const line of lost) say(line);
  return lost.length;
}

function keepPeak(samples: Samples, name: FigureName, mb: number): void {
  if (mb > (samples[name]?.[0] ?? 0)) samples[name] = [mb];
}
