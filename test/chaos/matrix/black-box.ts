/**
 * The black-box twin of the matrix, without failpoints: random processes are killed or stopped at random moments, and a `git` in front of the real one dies before,
 * during or after it, so that no list of ours chose where it hurts. What was done stands beside a run that went wrong.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { holdOpen } from '../../support/close-at-end.js';
import { guardPid } from '../../support/guard-pid.js';
import type { RunTraces } from '../../support/run-traces.js';
import { runCell } from './attended-cell.js';
import { bringUpIfGivenUp } from './bring-up.js';
import { type ChaosHome, inHomes } from './chaos-home.js';
import { type DyingGit, makeDyingGit } from './dying-git.js';
import { type Counts, countsOf, isClean } from './verdict.js';

/** How often each is chosen, of their sum. The engine gives up on a child that dies six times in a minute, so no one of them is met much more often. */
const TARGETS = { worker: 5, guard: 4, server: 4, engine: 3, all: 2, stop: 1 } as const;

export type Target = keyof typeof TARGETS;

const LONGEST_PAUSE_MS = 2_400;
const STOP_MS = 30_000;
const LOOK_AGAIN_MS = 2_000;
const RUN_LIMIT_MS = 400_000;

export interface BlackBoxRun {
  readonly strikes: Readonly<Record<Target, number>>;
  /** Null: it could not be told why, in `error`. */
  readonly counts: Counts | null;
  /** Of a run that lost or doubled something. */
  readonly traces: RunTraces | null;
  readonly error: string | null;
}

export interface BlackBox {
  /** At least. */
  readonly runs: number;
  /** At least, of the whole, SIGSTOPs not counted: runs that end before they are struck as often as the others are made up for by more runs. */
  readonly kills: number;
  readonly lanes: number;
  readonly expected: RunTraces;
  onRun(run: BlackBoxRun): void;
}

/** Answers how often git died, and which way. */
export async function runBlackBox({
  runs,
  kills,
  lanes,
  expected,
  onRun,
}: BlackBox): Promise<ReturnType<DyingGit['deaths']>> {
  const git = makeDyingGit();
  const close = holdOpen(async () => git.close());
  const path = process.env['PATH'];
  // The engine that is brought up here hands it to worker and git.
  process.env['PATH'] = git.path;
  let begun = 0;
  let killed = 0;
  try {
    await Promise.all(
      Array.from({ length: lanes }, () =>
        inHomes({ obeys: false }, async (place) => {
          if (begun >= runs && killed >= kills) return 'done';
          begun += 1;
          const run = await struckRun(place, { wanted: Math.ceil(kills / runs), expected });
          killed += killsIn(run);
          onRun(run);
          return run.error === null ? 'more' : 'spoilt';
        }),
      ),
    );
    return git.deaths();
  } finally {
    process.env['PATH'] = path;
    await close();
  }
}

async function struckRun(
  place: ChaosHome,
  { wanted, expected }: { wanted: number; expected: RunTraces },
): Promise<BlackBoxRun> {
  const strikes: Record<Target, number> = { worker: 0, guard: 0, server: 0, engine: 0, all: 0, stop: 0 };
  const over = new AbortController();
  const striking: Promise<void>[] = [];
  const begin = () => {
    striking.push(strikeAgainAndAgain(place, { wanted, strikes, over: over.signal }));
  };
  try {
    const traces = await runCell(place, 'run', { begin, limitMs: RUN_LIMIT_MS });
    const counts = countsOf(traces, expected);
    return { strikes, counts, traces: isClean(counts) ? null : traces, error: null };
  } catch (error) {
    return { strikes, counts: null, traces: null, error: error instanceof Error ? error.message : String(error) };
  } finally {
    over.abort();
    await Promise.all(striking);
  }
}

/** SIGSTOPs not counted. */
export function killsIn({ strikes: { stop: _stop, ...kills } }: Pick<BlackBoxRun, 'strikes'>): number {
  return Object.values(kills).reduce((sum, count) => sum + count, 0);
}

interface Striking {
  readonly wanted: number;
  readonly strikes: Record<Target, number>;
  readonly over: AbortSignal;
}

async function strikeAgainAndAgain(place: ChaosHome, { wanted, strikes, over }: Striking): Promise<void> {
  for (let done = 0; done < wanted && !over.aborted; ) {
    await sleep(Math.random() * LONGEST_PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    const target = drawTarget();
    if (!(await strike(place, target))) continue;
    strikes[target] += 1;
    done += 1;
    await bringUpIfGivenUp(place);
  }
  // It counts the deaths of a minute, those of the run before too, and gives up some time after the last strike.
  while (!over.aborted) {
    await sleep(LOOK_AGAIN_MS, undefined, { signal: over }).catch(() => undefined);
    await bringUpIfGivenUp(place);
  }
}

function drawTarget(): Target {
  const sum = Object.values(TARGETS).reduce((total, weight) => total + weight, 0);
  let drawn = Math.random() * sum;
  for (const [target, weight] of Object.entries(TARGETS)) {
    drawn -= weight;
    if (drawn < 0) return target as Target; // A key of TARGETS.
  }
  return 'worker';
}

/** False where nobody was there to be met. */
export async function strike(place: ChaosHome, target: Target): Promise<boolean> {
  const guard = () => guardPid(place.home);
  const pids = {
    worker: () => [place.pid('worker')],
    guard: () => [guard()],
    server: () => [place.pid('server')],
    engine: () => [place.pid('engine')],
    all: () => [place.pid('engine'), place.pid('server'), guard(), place.pid('worker')],
    stop: () => [[place.pid('worker'), guard(), place.pid('server')][Math.floor(Math.random() * 3)] ?? null],
  }[target]();
  const met = pids.filter(
    (pid): pid is number => pid !== null && pid > 0 && signal(pid, target === 'stop' ? 'SIGSTOP' : 'SIGKILL'),
  );
  if (target === 'stop' && met.length > 0) {
    await sleep(STOP_MS);
    for (const pid of met) signal(pid, 'SIGCONT');
  }
  return met.length > 0;
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
