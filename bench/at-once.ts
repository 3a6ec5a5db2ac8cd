/** `concurrent10Ms`, `concurrent100Ms`, `processesRssMb`: many runs at once in one repository. Wall time, nothing subtracted; nothing may be lost. */
import { TURNS } from './bench-agent.js';
import type { BenchHost } from './bench-host.js';
import type { Samples } from './figures.js';
import { residentMb } from './home-processes.js';
import { add, closedWell, startRun } from './plain-run.js';

const LOOK_MS = 250;

export async function measureAtOnce(host: BenchHost, samples: Samples, { count, times }: { count: number; times: number }): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, residentMb(host.home));
    }, LOOK_MS);
    try {
      const runIds = Array.from({ length: count }, (_, index) => `bench-${count}-${n}-${index}`);
      const began = performance.now();
      await Promise.all(runIds.map(async (runId) => closedWell(await startRun(host, runId))));
      add(samples, `concurrent${count}Ms`, performance.now() - began);
      requireFiveStarts(host, runIds);
    } finally {
      clearInterval(watch);
    }
    // The figure is that of the most at once.
    if (peakMb > (samples['processesRssMb']?.[0] ?? 0)) samples['processesRssMb'] = [peakMb];
  }
}

function requireFiveStarts({ agent }: BenchHost, runIds: readonly string[]): void {
  const starts = [...agent.starts()];
  for (const runId of runIds) {
    const own = starts.filter(([place]) => place.startsWith(`${runId} `));
    if (own.length !== TURNS || own.some(([, count]) => count !== 1))
      throw new Error(`${runId}: the agent's ledger has ${JSON.stringify(own)}`);
  }
}
