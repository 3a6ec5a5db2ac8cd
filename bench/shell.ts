/** `cliMs`, `helpOverNodeMs` and their like: what a person waits for at the prompt, from the start of the program to its end. */
import { restartWorker as restartWorkerBy } from '../worker/local-engine/control/ensure-engine.js';
import { ownMs, ownTimes } from './baselines.js';
import type { BenchHost } from './bench-host.js';
import type { Samples } from './figures.js';
import { add } from './plain-run.js';
import { timedProcess } from './timed-process.js';

const TASK = 'Bench: change one file';

/** `sluice run` with the engine up, without the agent's and the command's own time. */
export async function measureCli(host: BenchHost, samples: Samples, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const runId = `bench-cli-${n}`;
    const took = await sluiceRun(host, runId);
    add(samples, 'cliMs', took - ownMs(await ownTimes(host, runId)));
  }
}

/** Of closed runs. A home without an engine sees the runs of the repository by their folders. */
const NO_ENGINE = { SLUICE_HOME: '/nonexistent/sluice' };
const LOOKS: readonly (readonly [name: string, args: readonly string[], env: Readonly<Record<string, string>>])[] = [
  ['listOverNodeMs', ['list'], {}],
  ['statusOverNodeMs', ['status'], {}],
  ['logsOverNodeMs', ['logs'], {}],
  ['filesOverNodeMs', ['status'], NO_ENGINE],
  ['completionOverNodeMs', ['complete', '--', 'status', ''], {}],
];

/** In turns, and the run of a detached one is over before the next is measured. */
export async function measureCommands(host: BenchHost, samples: Samples, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const nodeMs = await timedProcess([process.execPath, '-e', '0'], { cwd: host.folder });
    add(samples, 'nodeMs', nodeMs);
    add(samples, 'helpOverNodeMs', (await timedHelp(host)) - nodeMs);
    for (const [name, args, env] of LOOKS) {
      const took = await sluice({ ...host, env: { ...host.env, ...env } }, args);
      add(samples, name, took - nodeMs);
    }
    const runId = `bench-detached-${n}`;
    add(samples, 'detachOverNodeMs', (await sluice(host, ['run', TASK, '--run-id', runId, '--detach'])) - nodeMs);
    await host.client.workflow.getHandle(runId).result();
  }
}

/** Until its run has ended. Unit: ms, the start of Node among them, as of the others here. */
export function sluiceRun(host: BenchHost, runId: string): Promise<number> {
  return sluice(host, ['run', TASK, '--run-id', runId]);
}

export function timedHelp(host: BenchHost): Promise<number> {
  return sluice(host, ['--help']);
}

/** As `sluice up --restart`, which would start the built worker where the bench has another one. */
export async function restartWorker(host: BenchHost): Promise<void> {
  if (host.workerCommand === undefined) await sluice(host, ['up', '--restart']);
  else if ((await restartWorkerBy(host.home, host.workerCommand)) === null) throw new Error('the engine is not up');
}

/** In the repository, as the bench's person. */
function sluice({ cliMain, repository, env }: BenchHost, args: readonly string[]): Promise<number> {
  return timedProcess([process.execPath, cliMain, ...args], { cwd: repository, env });
}
