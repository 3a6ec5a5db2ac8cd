/**
 * The parts of the bench `landing`: closed runs of one stage, each with a file of its own and nothing to check, whose heads land on a branch that nobody has checked out.
 * How many landed is counted by git; a landing that is not on the branch once is no measurement.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { PrivateGitDir } from '../../activities/git/inspect/private-git-dir.js';
import { makeCandidate } from '../../activities/git/merge/make-candidate.js';
import { openQueueGit } from '../../activities/git/merge/open-queue-git.js';
import { findRepository } from '../../activities/git/refs/find-repository.js';
import type { BenchHost } from '../bench-host.js';
import type { Few, Parts } from '../parts.js';
import { activityTimes, add, exactTimeOf, type Measuring, measureBaselines } from '../plain-run.js';
import { makeLargeRepository, makeSmallRepository } from '../repositories.js';
import { timedProcess } from '../timed-process.js';
import { type ClosedRun, closedRuns, countLanded, type LandingPlace, landAll, placeOf } from './landed-runs.js';

const BRANCH = 'release';
/** One to find the base, seven to merge, commit and swap: what git takes is no part of the engine's time. */
const GIT_OF_LANDING = 8;
const LARGE_FILES = 10_000;
export function landingParts(few: Few): Parts {
  return {
    alone: (measuring) => landAlone(measuring, few(15, 2)),
    crowd: (measuring) => landAtOnce(measuring, few(200, 5)),
    large: (measuring) => landAmongFiles(measuring, few(10, 2)),
  };
}

/** One after the other, so that each finds its queue idle. */
async function landAlone(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await openPlace(measuring, 'alone', makeSmallRepository);
  const runs = await closedRuns(host, 'bench-alone', count);
  for (const run of runs) {
    await measureGitBaselines(measuring, host);
    const [landed, queue] = await landThere(host, [run]);
    const events = landed[0] ?? [];
    const gitMs = GIT_OF_LANDING * (samples['bareGitMs']?.at(-1) ?? 0);
    add(samples, 'landEngineMs', exactTimeOf(events.at(-1)) - exactTimeOf(events[0]) - gitMs);
    add(samples, 'eventsPerLanding', events.length + queue.length);
  }
  countThere(host, count);
}

async function landAtOnce(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await openPlace(measuring, 'crowd', makeSmallRepository);
  const runs = await closedRuns(host, 'bench-crowd', count);
  await measureGitBaselines(measuring, host);
  const began = performance.now();
  const [, queue] = await landThere(host, runs);
  add(samples, 'landPerMinuteLocal', (count * 60_000) / (performance.now() - began));
  // The last one is followed by no other.
  const entries = activityTimes(queue).filter(({ name }) => name === 'landEntry');
  for (const { ms } of entries.slice(0, -1)) add(samples, 'entryMs', ms);
  countThere(host, count);
}

/** What a merge takes by itself, as the queue makes it; then each of them lands, so that all that is measured was true. */
async function landAmongFiles(measuring: Measuring, count: number): Promise<void> {
  const { samples } = measuring;
  const host = await openPlace(measuring, 'large', (owner, path) => makeLargeRepository(owner, path, LARGE_FILES));
  // The first one is a commit on its base and needs no merge.
  const [first, ...runs] = await closedRuns(host, 'bench-large', count + 1);
  if (first !== undefined) await landThere(host, [first]);
  const repository = await findRepository(host.repository);
  const git = await openQueueGit({ repository, folder: join(host.folder, 'landing-merges') });
  const ours = execFileSync('git', ['rev-parse', BRANCH], { cwd: host.repository, encoding: 'utf8' }).trim();
  const bare = async (theirs: string) => {
    const merge = ['git', 'merge-tree', '--write-tree', ours, theirs] as const;
    add(samples, 'bareMergeMs', await timedProcess(merge, { cwd: host.repository }));
  };
  const own = async (theirs: string) => add(samples, 'mergeLargeMs', await timeToMerge(git, { ours, theirs }));
  for (const [n, { head }] of runs.entries()) {
    await measureGitBaselines(measuring, host);
    // Whoever comes second finds the tree that the first one wrote.
    for (const merge of n % 2 === 0 ? [bare, own] : [own, bare]) await merge(head);
  }
  await landThere(host, runs);
  countThere(host, count + 1);
}

/** Unit: ms. Errors: what was no merge. */
async function timeToMerge(
  git: PrivateGitDir,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<number> {
  const began = performance.now();
  const made = await makeCandidate(git, {
    ours,
    theirs,
    madeOn: null,
    method: 'merge',
    isMade: false,
    message: 'merge\n',
    claimedAt: new Date().toISOString(),
    identity: git.identity,
  });
  const took = performance.now() - began;
  if (made.kind !== 'made' || made.how !== 'merge') throw new Error(`${theirs} is ${made.kind}, which is no merge`);
  return took;
}

/** With a branch that nobody has checked out. */
async function openPlace({ host }: Measuring, name: string, make: LandingPlace['make']): Promise<BenchHost> {
  const place = await placeOf(host, { name, make });
  execFileSync('git', ['branch', BRANCH], { cwd: place.repository });
  return place;
}

function landThere(host: BenchHost, runs: readonly ClosedRun[]): ReturnType<typeof landAll> {
  return landAll(host, runs, { repoKey: runs[0]?.repoKey ?? '', branch: BRANCH });
}

function countThere({ repository }: BenchHost, count: number): void {
  countLanded({ git: repository, from: 'main', branch: BRANCH, count });
}

async function measureGitBaselines({ empty, samples }: Measuring, host: BenchHost): Promise<void> {
  await measureBaselines({ host, empty, samples });
  add(
    samples,
    'bareGitMs',
    await timedProcess(['git', 'rev-parse', '--git-dir'], { cwd: host.repository, stdout: '/dev/null' }),
  );
}
