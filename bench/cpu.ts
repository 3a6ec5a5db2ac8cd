/**
 * What one run costs in CPU, by the process that pays: many runs at once in one repository, five agents each and no checks, beside `node -e 0`, which is
 * measured before and after them, since the same work costs more on a machine that is busy or hot. What the agents use by hand is taken off the guard.
 * Known from /proc; elsewhere the figures stay empty.
 */
import { runAtOnce } from './at-once.js';
import { agentsByHand } from './baselines.js';
import { TURN_STAGES, TURNS } from './bench-agent.js';
import type { BenchHost } from './bench-host.js';
import { cpuMsOfTimed, cpuOfHome, cpuOfQuietHome, usedBetween } from './home-cpu.js';
import { add, type Measuring } from './plain-run.js';
import { restartWorker, sluiceRun } from './shell.js';
import { timedProcess } from './timed-process.js';

const ENGINE_KINDS = ['server', 'worker', 'guard', 'git'] as const;
/** A tick of 10 ms is a thirtieth of the starts of Node or less, and a quarter of a millisecond of an agent. */
const NODE_STARTS = 5;
const AGENT_ROUNDS = 8;
const WORKER_STARTS = 3;

export interface CpuBatch {
  /** Part of the run ids. */
  readonly name: string;
  readonly runs: number;
  readonly fromShell: number;
}

export async function measureCpu(
  { host, samples }: Pick<Measuring, 'host' | 'samples'>,
  { name, runs, fromShell }: CpuBatch,
): Promise<void> {
  if (process.platform !== 'linux') return;
  add(samples, 'nodeCpuMs', await nodeCpuMs(host));
  const before = await cpuOfQuietHome(host.home);
  const { lost } = await runAtOnce([host], { name, runs, policy: { stageList: TURN_STAGES } });
  if (lost > 0) throw new Error(`${lost} of ${runs} runs were lost`);
  const used = usedBetween(before, await cpuOfQuietHome(host.home));
  const agents = await cpuMsOfTimed(async () => {
    for (let n = 0; n < AGENT_ROUNDS; n += 1) await agentsByHand(host, `${name}-0`);
  });
  add(samples, 'agentCpuMs', agents / AGENT_ROUNDS / TURNS);
  let sum = 0;
  for (const kind of ENGINE_KINDS) {
    const ms = used[kind] / runs - (kind === 'guard' ? agents / AGENT_ROUNDS : 0);
    add(samples, `${kind}CpuMs`, ms);
    sum += ms;
  }
  add(samples, 'engineCpuMs', sum);
  add(samples, 'cliCpuMs', await commandLineCpuMs(host, { name, fromShell }));
  add(samples, 'nodeCpuMs', await nodeCpuMs(host));
}

/** Until it takes work; beside `node -e 0`, by which it is judged. It leaves a worker that had no run yet. Started anew: the first start of a build compiles what every later one finds in its code cache. */
export async function measureWorkerStart({ host, samples }: Pick<Measuring, 'host' | 'samples'>): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let n = 0; n < WORKER_STARTS; n += 1) {
    add(samples, 'nodeCpuMs', await nodeCpuMs(host));
    await restartWorker(host);
    add(samples, 'workerStartCpuMs', cpuOfHome(host.home).ms.worker);
  }
}

/** What the engine does for a command line alone is the command line's. */
async function commandLineCpuMs(
  host: BenchHost,
  { name, fromShell }: Pick<CpuBatch, 'name' | 'fromShell'>,
): Promise<number> {
  const before = await cpuOfQuietHome(host.home);
  const own = await cpuMsOfTimed(async () => {
    for (let n = 0; n < fromShell; n += 1) await sluiceRun(host, `${name}-shell-${n}`);
  });
  return (own + usedBetween(before, await cpuOfQuietHome(host.home)).rest) / fromShell;
}

async function nodeCpuMs({ folder }: BenchHost): Promise<number> {
  const all = await cpuMsOfTimed(async () => {
    for (let n = 0; n < NODE_STARTS; n += 1) await timedProcess([process.execPath, '-e', '0'], { cwd: folder });
  });
  return all / NODE_STARTS;
}
