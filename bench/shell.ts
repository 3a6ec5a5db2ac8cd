/** `cliMs`, `helpOverNodeMs`: what a person waits for at the prompt, from the start of the program to its end. */
import { ownMs, ownTimes } from './baselines.js';
import { timedProcess } from './bench-agent.js';
import type { BenchHost } from './bench-host.js';
import type { Samples } from './figures.js';
import { add } from './plain-run.js';

/** `sluice run` with the engine up, without the agent's and the command's own time. */
export async function measureCli(host: BenchHost, samples: Samples, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const runId = `bench-cli-${n}`;
    const argv = [process.execPath, host.cliMain, 'run', 'Bench: change one file', '--run-id', runId] as const;
    const took = await timedProcess(argv, { cwd: host.repository });
    add(samples, 'cliMs', took - ownMs(await ownTimes(host, runId)));
  }
}

export async function measureHelp(host: BenchHost, samples: Samples, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const nodeMs = await timedProcess([process.execPath, '-e', '0'], { cwd: host.folder });
    const helpMs = await timedHelp(host);
    add(samples, 'nodeMs', nodeMs);
    add(samples, 'helpOverNodeMs', helpMs - nodeMs);
  }
}

/** Unit: ms, the start of Node among them. */
export function timedHelp({ cliMain, folder }: BenchHost): Promise<number> {
  return timedProcess([process.execPath, cliMain, '--help'], { cwd: folder });
}
