/** What each case does with a real agent: runs a task to its end, reads how its turns ended, and kills the worker beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliRepository } from '../support/cli-repository.js';
import { jsonLines } from '../support/cli-world.js';
import { until } from '../support/until.js';
import { type AgentWorld, noteRan } from './agent-world.js';
import type { ProviderCall } from './mock-provider.js';

/** Longer than a CLI takes to begin to speak beside much else. */
export const STALL = '60s';

/** The last line of `--json`. */
export type End = Readonly<Record<string, unknown>>;

type Data = Readonly<Record<string, unknown>>;

/** Runs the task to its end. */
export async function runTask(agents: AgentWorld, where: CliRepository, task: string, ...options: readonly string[]) {
  const { code, stdout, stderr } = await agents.sluice(where, 'run', task, '--json', ...options);
  const end: End = jsonLines(stdout).at(-1) ?? {};
  return { code, end, stderr };
}

/** What the journal says of each turn that ended, in order. */
export function endedTurns(end: End): readonly Data[] {
  const events = jsonLines(readFileSync(join(String(end['runDir']), 'events.jsonl'), 'utf8')) as {
    type: string;
    data: Data;
  }[];
  return events.flatMap(({ type, data }) => (type === 'turn.completed' || type === 'turn.failed' ? [data] : []));
}

/** Notes the case and gives the requests with one of our prompts and tools: not one for a title. */
export function ranTurns(agents: AgentWorld, name: string): readonly ProviderCall[] {
  const calls = agents.newCalls();
  noteRan(agents.cli.name, name, calls.length);
  return calls.filter(({ stage, tools }) => stage !== null && tools > 0);
}

/** Kills the engine's worker and waits for the next one. */
export async function killWorker({ world }: AgentWorld): Promise<void> {
  /** 0 while there is none. */
  const workerPid = () =>
    (JSON.parse(readFileSync(join(world.home, 'engine.json'), 'utf8')) as { worker: { pid: number } | null }).worker
      ?.pid ?? 0;
  const before = workerPid();
  process.kill(before, 'SIGKILL');
  await until(() => ![0, before].includes(workerPid()) && isAlive(workerPid()));
}

/** No process with the turn tag is left. */
export function noTurnLives({ world }: AgentWorld): boolean {
  return !world.living().some(isTurn);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isTurn(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes('SLUICE_TURN=');
  } catch {
    return false;
  }
}
