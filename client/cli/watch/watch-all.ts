/**
 * Watches every open run at once, by visibility: a live table on a terminal, one line a change in a pipe, one object a change with --json.
 * It ends when none is open any more, and never starts or decides anything; one run in full is `sluice watch <run>`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ListedRun } from '../../calls/listed-run.js';
import { clockOf } from '../../views/local-time.js';
import { statusText } from '../../views/run-status.js';
import { renderRuns } from '../find/run-table.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { createRedraw } from '../terminal/redraw.js';
import { timeText } from '../terminal/time-text.js';
import { countAbsence, missAnswer, tellServerAway } from './server-away.js';

export interface WatchedRuns {
  /** The runs that are looked at, newest first. Errors: a server that does not answer. */
  readonly look: () => Promise<readonly ListedRun[]>;
  readonly everyMs?: number;
  readonly serverAwayMs?: number;
}

/** **Unit** ms: visibility is a second behind in any case. */
const LOOK_EVERY_MS = 2_000;

export async function watchAll(context: Context, watched: WatchedRuns): Promise<ExitCode> {
  const { io, json } = context;
  const { look, everyMs = LOOK_EVERY_MS, serverAwayMs } = watched;
  const board = createBoard();
  const show = showerFor(context);
  const absence = countAbsence(serverAwayMs);
  while (!io.stop.aborted) {
    const runs = await look().catch(missAnswer);
    if (runs === null) {
      if (absence.missed()) return tellServerAway(context);
    } else {
      absence.answered();
      const changed = board.take(runs);
      show(board.shown(), changed);
      if (board.open() === 0) return board.exitCode();
    }
    await delay(everyMs, undefined, { signal: io.stop }).catch(() => {});
  }
  if (!json) io.err('Detached; the runs go on. Come back with: sluice watch');
  return EXIT.detached;
}

interface Board {
  /** Answers the runs that changed. */
  take(runs: readonly ListedRun[]): readonly ListedRun[];
  shown(): readonly ListedRun[];
  open(): number;
  exitCode(): ExitCode;
}

/** Runs that were open when they were first seen, until the end. Pure but for what it keeps. */
export function createBoard(): Board {
  const seen = new Map<string, ListedRun>();
  return {
    take(runs) {
      const changed = runs.filter((run) => {
        const before = seen.get(run.workflowId);
        return before === undefined ? run.closedAt === null : keyOf(before) !== keyOf(run);
      });
      for (const run of changed) seen.set(run.workflowId, run);
      return changed;
    },
    shown: () => [...seen.values()],
    open: () => [...seen.values()].filter((run) => run.closedAt === null).length,
    exitCode: () => worstOf([...seen.values()]),
  };
}

function keyOf({ status, stage, waiting, title, closedAt }: ListedRun): string {
  return JSON.stringify([status, stage, waiting, title, closedAt === null]);
}

/** A failed run weighs more than one that needs a person. */
function worstOf(runs: readonly ListedRun[]): ExitCode {
  if (runs.some((run) => run.status === 'failed')) return EXIT.failed;
  return runs.every((run) => run.status === 'merge_ready') ? EXIT.done : EXIT.needsPerson;
}

type Shower = (runs: readonly ListedRun[], changed: readonly ListedRun[]) => void;

function showerFor({ io, json }: Context): Shower {
  if (json) {
    return (_runs, changed) => {
      for (const run of changed) io.json({ kind: 'run', ...run });
    };
  }
  return io.live ? liveTable(io) : plainLines(io);
}

function plainLines(io: Io): Shower {
  return (_runs, changed) => {
    for (const run of changed) {
      io.out(
        `${timeText(run.since ?? run.startedAt, io, clockOf)} ${foreign(run.runId)} ${statusText(run)}${waitHint(run)}  ${foreign(run.title ?? '')}`.trimEnd(),
      );
    }
  };
}

/** What a person types at a run that waits for one. */
function waitHint({ runId, status, closedAt }: ListedRun): string {
  if (closedAt !== null || (status !== 'waiting_for_approval' && status !== 'paused')) return '';
  return `  ${status === 'paused' ? 'sluice resume' : 'sluice approvals show'} ${foreign(runId)}`;
}

function liveTable(io: Io): Shower {
  const table = createRedraw(io);
  let isDrawn = false;
  return (runs, changed) => {
    if (isDrawn && changed.length === 0) return;
    const hints = runs.flatMap((run) => (waitHint(run) === '' ? [] : [waitHint(run).trim()]));
    const all = [
      ...renderRuns(runs, io).split('\n'),
      ...hints.map((hint) => io.colors.yellow(hint)),
      'Ctrl+C detaches',
    ];
    table.draw(all.length < io.rows() ? all : [...all.slice(0, Math.max(1, io.rows() - 2)), '…']);
    isDrawn = true;
  };
}
