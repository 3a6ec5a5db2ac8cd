/** Closed runs of one stage, each with a file of its own and nothing to check, and their landings. One that is not on its base once is no measurement. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { landingCalls } from '../../client/calls/landing-calls.js';
import type { LandingView } from '../../protocol/actors/landing.js';
import { type MergeQueueView, mergeQueueId, type QueueRef } from '../../protocol/actors/merge-queue.js';
import type { RunResult } from '../../protocol/messages/messages.js';
import { landingId } from '../../protocol/names.js';
import type { BenchHost } from '../bench-host.js';
import { closedWell, type HistoryEvent, startRun } from '../plain-run.js';
import type { makeSmallRepository } from '../repositories.js';

/** Runs that are made at once before their heads land. */
const MADE_AT_ONCE = 20;

/** Its agent writes a file named as its run. */
const CONFIG = `version: 1
agent: writer
sandbox: off
agents:
  writer:
    adapter: command
    command: [/bin/sh]
    args: ['-c', 'cat > /dev/null; echo changed > "\${PWD##*/}.txt"; echo wrote it']
stageList: [executing]
`;

export interface LandingPlace {
  readonly name: string;
  readonly make: typeof makeSmallRepository;
  /** YAML beside what all of them have. */
  readonly config?: string;
}

export async function placeOf(host: BenchHost, { name, make, config = '' }: LandingPlace): Promise<BenchHost> {
  const owner = { home: host.home, configText: `${CONFIG}${config}` };
  return { ...host, repository: await make(owner, join(host.folder, `landing-${name}`)) };
}

export interface ClosedRun {
  readonly runId: string;
  readonly head: string;
  readonly repoKey: string;
}

/** Errors: a run that did not close merge_ready with a change. */
export async function closedRuns(host: BenchHost, name: string, count: number): Promise<readonly ClosedRun[]> {
  const closed: ClosedRun[] = [];
  const names = Array.from({ length: count }, (_, n) => `${name}-${n}`);
  while (closed.length < count) {
    const batch = names.slice(closed.length, closed.length + MADE_AT_ONCE);
    closed.push(...(await Promise.all(batch.map((runId) => closedRun(host, runId)))));
  }
  return closed;
}

async function closedRun(host: BenchHost, runId: string): Promise<ClosedRun> {
  const handle = await startRun(host, runId);
  await closedWell(handle);
  const { source } = (await handle.result()) as RunResult; // Runs answer this.
  if (source === null) throw new Error(`${runId} changed nothing`);
  return { runId, head: source.head, repoKey: source.repoKey };
}

/** The events of each landing, and those of the queue's last execution. Errors: one that was not merged. */
export async function landAll(
  { client }: BenchHost,
  runs: readonly ClosedRun[],
  base: QueueRef,
): Promise<readonly [readonly (readonly HistoryEvent[])[], readonly HistoryEvent[]]> {
  const calls = landingCalls(client, (call) => call());
  const asked = { onto: base.branch, by: 'bench' };
  await Promise.all(runs.map(({ runId }) => calls.land({ runId, workflowId: runId, ...asked })));
  const landed = await Promise.all(
    runs.map(async ({ runId }) => {
      const handle = client.workflow.getHandle(landingId(runId));
      const { merge, gate } = (await handle.result()) as LandingView; // Landings answer this.
      if (merge !== 'merged') throw new Error(`${runId} is ${merge} (${JSON.stringify(gate)})`);
      return (await handle.fetchHistory()).events ?? [];
    }),
  );
  const queue = client.workflow.getHandle(mergeQueueId(base));
  const { entries } = (await queue.result()) as MergeQueueView; // Merge queues answer this.
  if (entries.length > 0) throw new Error(`the queue ended with ${entries.length} entries`);
  return [landed, (await queue.fetchHistory()).events ?? []];
}

export interface LandedCount {
  /** A git dir. */
  readonly git: string;
  readonly from: string;
  readonly branch: string;
  readonly count: number;
}

/** Errors: what landed more than once, or not at all. */
export function countLanded({ git, from, branch, count }: LandedCount): void {
  const range = ['rev-list', '--first-parent', '--count', `${from}..${branch}`];
  const landed = Number(execFileSync('git', range, { cwd: git, encoding: 'utf8' }));
  if (landed !== count) throw new Error(`${branch} has ${landed} commits more, not ${count}`);
}
