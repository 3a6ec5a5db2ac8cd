/**
 * The parts of the bench `landing`: closed runs of one stage, each with a file of its own and nothing to check, whose heads land on a branch that nobody has checked out.
 * How many landed is counted by git; a landing that is not on the branch once is no measurement.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { makeCandidate } from '../../activities/git/merge/make-candidate.js';
import { openQueueGit } from '../../activities/git/merge/open-queue-git.js';
import { findRepository } from '../../activities/git/refs/find-repository.js';
import { landingCalls } from '../../client/calls/landing-calls.js';
import type { LandingView } from '../../protocol/actors/landing.js';
import { type MergeQueueView, mergeQueueId } from '../../protocol/actors/merge-queue.js';
import type { RunResult } from '../../protocol/messages/messages.js';
import { landingId } from '../../protocol/names.js';
import { timedProcess } from '../bench-agent.js';
import type { BenchHost } from '../bench-host.js';
import type { Few, Parts } from '../parts.js';
import {
  activityTimes,
  add,
  closedWell,
  exactTimeOf,
  type HistoryEvent,
  type Measuring,
  measureBaselines,
  startRun,
} from '../plain-run.js';
import { makeLargeRepository, makeSmallRepository } from '../repositories.js';

const BRANCH = 'release';
/** One to find the base, seven to merge, commit and swap: what git takes is no part of the engine's time. */
const GIT_OF_LANDING = 8;
const LARGE_FILES = 10_000;
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

export function landingParts(few: Few): Parts {
  return {
    alone: (measuring) => landAlone(measuring, few(15, 2)),
    crowd: (measuring) => landAtOnce(measuring, few(200, 5)),
    large: (measuring) => landAmongFiles(measuring, few(9, 2)),
  };
}

/** One after the other, so that each finds its queue idle. */
async function landAlone(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await placeOf(measuring, 'alone', makeSmallRepository);
  const runs = await closedRuns(host, 'bench-alone', count);
  for (const run of runs) {
    await measureGitBaselines(measuring, host);
    const [landed, queue] = await landAll(host, [run]);
    const events = landed[0] ?? [];
    const gitMs = GIT_OF_LANDING * (samples['bareGitMs']?.at(-1) ?? 0);
    add(samples, 'landEngineMs', exactTimeOf(events.at(-1)) - exactTimeOf(events[0]) - gitMs);
    add(samples, 'eventsPerLanding', events.length + queue.length);
  }
  countLanded(host, count);
}

async function landAtOnce(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await placeOf(measuring, 'crowd', makeSmallRepository);
  const runs = await closedRuns(host, 'bench-crowd', count);
  await measureGitBaselines(measuring, host);
  const began = performance.now();
  const [, queue] = await landAll(host, runs);
  add(samples, 'landPerMinuteLocal', (count * 60_000) / (performance.now() - began));
  // The last one is followed by no other.
  const entries = activityTimes(queue).filter(({ name }) => name === 'landEntry');
  for (const { ms } of entries.slice(0, -1)) add(samples, 'entryMs', ms);
  countLanded(host, count);
}

/** What a merge takes by itself, as the queue makes it; then each of them lands, so that all that is measured was true. */
async function landAmongFiles(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await placeOf(measuring, 'large', (owner, path) => makeLargeRepository(owner, path, LARGE_FILES));
  // The first one is a commit on its base and needs no merge.
  const [first, ...runs] = await closedRuns(host, 'bench-large', count + 1);
  if (first !== undefined) await landAll(host, [first]);
  const repository = await findRepository(host.repository);
  const git = await openQueueGit({ repository, folder: join(host.folder, 'landing-merges') });
  for (const { head } of runs) {
    await measureGitBaselines(measuring, host);
    const ours = execFileSync('git', ['rev-parse', BRANCH], { cwd: host.repository, encoding: 'utf8' }).trim();
    const bare: readonly [string, ...string[]] = ['git', 'merge-tree', '--write-tree', ours, head];
    add(samples, 'bareMergeMs', await timedProcess([...bare], { cwd: host.repository }));
    const began = performance.now();
    const made = await makeCandidate(git, {
      ...{ ours, theirs: head, madeOn: null, method: 'merge', isMade: false },
      ...{ message: 'merge\n', claimedAt: new Date().toISOString(), identity: git.identity },
    });
    add(samples, 'mergeLargeMs', performance.now() - began);
    if (made.kind !== 'made' || made.how !== 'merge') throw new Error(`${head} is ${made.kind}, which is no merge`);
  }
  await landAll(host, runs);
  countLanded(host, count + 1);
}

type MakeRepository = typeof makeSmallRepository;

async function placeOf({ host }: Measuring, name: string, make: MakeRepository): Promise<BenchHost> {
  const repository = await make({ home: host.home, configText: CONFIG }, join(host.folder, `landing-${name}`));
  execFileSync('git', ['branch', BRANCH], { cwd: repository });
  return { ...host, repository };
}

interface ClosedRun {
  readonly runId: string;
  readonly head: string;
  readonly repoKey: string;
}

/** Errors: a run that did not close merge_ready with a change. */
async function closedRuns(host: BenchHost, name: string, count: number): Promise<readonly ClosedRun[]> {
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
async function landAll(
  { client }: BenchHost,
  runs: readonly ClosedRun[],
): Promise<readonly [readonly (readonly HistoryEvent[])[], readonly HistoryEvent[]]> {
  const calls = landingCalls(client, (call) => call());
  await Promise.all(runs.map(({ runId }) => calls.land({ runId, workflowId: runId, onto: BRANCH, by: 'bench' })));
  const landed = await Promise.all(
    runs.map(async ({ runId }) => {
      const handle = client.workflow.getHandle(landingId(runId));
      const { merge, gate } = (await handle.result()) as LandingView; // Landings answer this.
      if (merge !== 'merged') throw new Error(`${runId} is ${merge} (${JSON.stringify(gate)})`);
      return (await handle.fetchHistory()).events ?? [];
    }),
  );
  const queue = client.workflow.getHandle(mergeQueueId({ repoKey: runs[0]?.repoKey ?? '', branch: BRANCH }));
  const { entries } = (await queue.result()) as MergeQueueView; // Merge queues answer this.
  if (entries.length > 0) throw new Error(`the queue ended with ${entries.length} entries`);
  return [landed, (await queue.fetchHistory()).events ?? []];
}

async function measureGitBaselines({ empty, samples }: Measuring, host: BenchHost): Promise<void> {
  await measureBaselines({ host, empty, samples });
  add(
    samples,
    'bareGitMs',
    await timedProcess(['git', 'rev-parse', '--git-dir'], { cwd: host.repository, stdout: '/dev/null' }),
  );
}

/** Errors: what landed more than once, or not at all. */
function countLanded({ repository }: BenchHost, count: number): void {
  const range = ['rev-list', '--first-parent', '--count', `main..${BRANCH}`];
  const landed = Number(execFileSync('git', range, { cwd: repository, encoding: 'utf8' }));
  if (landed !== count) throw new Error(`${BRANCH} has ${landed} commits more, not ${count}`);
}
