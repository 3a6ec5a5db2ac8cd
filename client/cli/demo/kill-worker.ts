/**
 * The demo's own accident: kills the worker with SIGKILL while the agent is at work, waits for the next worker, lets the agent go on.
 * What happened to the agent is read from its own ledger, never from ours.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { lookAtEngine } from '../server/up.js';
import type { DemoWorld } from './make-demo.js';

/** **Unit** ms. */
const LOOK_MS = 50;
/** The engine restarts a dead worker in about a second; after this the agent goes on without one. */
const NEXT_WORKER_MS = 20_000;

export type Accident =
  | { readonly kind: 'killed'; readonly pid: number; readonly next: number | null }
  /** The agent never came to its turn, or no worker was seen. */
  | { readonly kind: 'not_killed' };

/** Of an agent, in its own ledger. `step`: of its plan; missing: whatever it is started for. */
export interface LedgerTurn extends Pick<DemoWorld, 'ledger'> {
  readonly step?: number;
}

/** Ends with `ended`, too. Effects: one SIGKILL; the agent may go on in every case. */
export async function killWorkerInMidTurn(
  world: DemoWorld & LedgerTurn,
  say: (text: string) => void,
  ended: AbortSignal,
): Promise<Accident> {
  try {
    while ((await startsOf(world, 'executing')) === 0) {
      if (ended.aborted) return { kind: 'not_killed' };
      await delay(LOOK_MS);
    }
    const pid = (await lookAtEngine(world.home))?.workerPid ?? null;
    if (pid === null) return { kind: 'not_killed' };
    process.kill(pid, 'SIGKILL');
    say(`The agent is at work. The demo killed the worker (kill -9 ${pid}); the agent goes on without it.`);
    const next = await nextWorker(world.home, pid, ended);
    say(
      next === null
        ? 'The agent goes on alone.'
        : `A new worker (pid ${next}) is up and takes the turn over; the agent was not started again.`,
    );
    return { kind: 'killed', pid, next };
  } finally {
    await writeFile(world.go, '');
  }
}

/** How often the agent was started in a stage, by its own ledger. */
export async function startsOf({ ledger, step }: LedgerTurn, stage: string): Promise<number> {
  const text = await readFile(ledger, 'utf8').catch(() => '');
  const starts = text.split('\n').filter((line) => line.startsWith(`START stage=${stage} `));
  return step === undefined ? starts.length : starts.filter((line) => line.endsWith(` step=${step}`)).length;
}

async function nextWorker(home: string, dead: number, ended: AbortSignal): Promise<number | null> {
  const until = Date.now() + NEXT_WORKER_MS;
  while (Date.now() < until && !ended.aborted) {
    const report = await lookAtEngine(home).catch(() => null);
    if (report !== null && report.phase === 'up' && report.workerPid !== null && report.workerPid !== dead)
      return report.workerPid;
    await delay(LOOK_MS);
  }
  return null;
}
