/** The last leg of `run`, `watch` and `demo`: watch with the right display, then say how it ended. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunResult } from '../../../protocol/messages/messages.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { STAGE_LISTS, type Stage } from '../../../protocol/run/stages.js';
import { parseRecord } from '../../../protocol/text/json.js';
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { exists, type FoundRun } from '../../look/find-runs.js';
import { parseView } from '../../look/parse-view.js';
import { readRunFile, turnFoldersOf } from '../../look/read-run-file.js';
import { type DiffStat, diffStat } from '../../repository.js';
import type { Sluice } from '../../sluice.js';
import { questionOf } from '../../views/gate-text.js';
import { pauseText, waitingText } from '../../views/waiting-text.js';
import { readJournal } from '../find/read-journal.js';
import type { Context } from '../terminal/context.js';
import type { ExitCode } from '../terminal/exit-codes.js';
import { foreign } from '../terminal/io.js';
import { answerGates } from './answer-gate.js';
import { noticeDesktop } from './desktop-notice.js';
import { type Display, gateDisplay, jsonDisplay, plainDisplay } from './display.js';
import { exitCodeOfEnd, type RunEnd } from './run-end.js';
import { endObject, renderEnd, type SummaryFacts } from './summary.js';
import { watchRun } from './watch-run.js';

export interface StartedView {
  readonly sluice: Sluice;
  readonly runId: string;
  readonly workflowId: string;
  readonly title: string;
  readonly repo: string;
  /** Null where the run's files are not on this machine. */
  readonly runDir: string | null;
  readonly stages: readonly Stage[] | null;
  readonly startedAt: string;
  /** With --json: whether each event is told, or only start and end. */
  readonly events: boolean;
  /** The run does not go on when the watcher goes: the demo takes its engine down. */
  readonly endsWithWatcher?: boolean;
  /** Whether a gate and the end are noticed on the desktop. */
  readonly desktop?: boolean;
  /** Gets the display, to say something in it. */
  readonly onDisplay?: (display: Display) => void;
}

/** A run that was found, for its start and its end only. */
export function startedView({ io }: Context, sluice: Sluice, run: FoundRun): StartedView {
  const { runId, workflowId, runDir, startedAt } = run;
  return {
    sluice,
    runId,
    workflowId,
    runDir,
    startedAt,
    title: run.title ?? runId,
    repo: run.repo ?? io.cwd,
    stages: null,
    events: false,
  };
}

export interface WatchedEnd {
  readonly end: RunEnd;
  readonly exitCode: ExitCode;
}

/** For a caller that goes on with what came out. Errors: RefusedError where the run was refused before it opened. */
export async function watchToEnd(context: Context, started: StartedView): Promise<WatchedEnd> {
  const { io, json } = context;
  const { runId } = started;
  const display = await displayFor(context, started);
  started.onDisplay?.(display);
  const end = await watchWithGates(context, started, display);
  const facts = { ...(await gatherFacts(started, end)), events: await storyToTell(context, started) };
  noticeEnd(context, started, end);
  if (json) io.json(endObject(end, facts));
  if (end.kind === 'refused') {
    throw new RefusedError(keptRefusal(end.parts, runId));
  }
  if (!json && !(end.kind === 'detached' && started.endsWithWatcher === true)) {
    const say = end.kind === 'detached' || end.kind === 'server_away' ? io.err : io.out;
    for (const line of renderEnd(end, facts, io.colors)) say(line);
  }
  return { end, exitCode: exitCodeOfEnd(end) };
}

async function watchWithGates(context: Context, started: StartedView, display: Display): Promise<RunEnd> {
  const { io } = context;
  const { sluice, workflowId, runDir, repo } = started;
  const answerer = answerGates(context, { sluice, workflowId, runDir, repo, display });
  const since = new Date().toISOString();
  const gates = {
    view: answerer.view,
    gate(gate: Gate | null) {
      answerer.gate(gate);
      if (gate !== null && started.desktop === true && gate.createdAt >= since) {
        noticeDesktop(io, { title: `${started.title} waits for you`, text: questionOf(gate) });
      }
    },
  };
  try {
    return await watchRun({ sluice, workflowId, runDir, display, gates, stop: io.stop });
  } finally {
    await answerer.close();
  }
}

function noticeEnd({ io }: Context, { desktop, title }: StartedView, end: RunEnd): void {
  if (desktop !== true || end.kind === 'detached' || end.kind === 'server_away') return;
  const outcome = end.kind === 'closed' ? end.result.outcome : end.kind;
  const text = end.kind === 'closed' ? (end.result.error ?? '') : end.message;
  noticeDesktop(io, { title: `${outcome}: ${title}`, text });
}

/** What is true of it by now: the server keeps the start that was refused. */
export function keptRefusal(parts: Refusal, id: string): Refusal {
  return { ...parts, now: `Nothing was started; the refused start is kept as ${id} on the server.` };
}

async function displayFor(
  { io, json }: Context,
  { runId, title, stages, startedAt, events, sluice, workflowId }: StartedView,
): Promise<Display> {
  if (json) return events ? jsonDisplay(io) : gateDisplay(io);
  if (!io.live) return plainDisplay(io);
  // What measures columns takes 30 ms to load.
  const { panelDisplay } = await import('./panel-display.js');
  const known = stages ?? (await stagesOf(sluice, workflowId));
  return panelDisplay(io, { runId, title, startedAt, stages: known });
}

/** **Unit** ms. A worker answers in a few; without one the panel shows what a run can have. */
const STAGES_LIMIT_MS = 1_000;

/** Of a run that was found: as its policy says, where it answers in time. */
async function stagesOf(sluice: Sluice, workflowId: string): Promise<readonly Stage[]> {
  const late = new AbortController();
  const asked = sluice.details(workflowId).then(
    ({ policy }) => policy?.stages ?? STAGE_LISTS.full,
    () => STAGE_LISTS.full,
  );
  const inTime = delay(STAGES_LIMIT_MS, STAGE_LISTS.full, { signal: late.signal }).catch(() => STAGE_LISTS.full);
  return Promise.race([asked, inTime]).finally(() => late.abort());
}

/** A live view leaves nothing else on the screen. */
async function storyToTell(context: Context, { runDir }: StartedView): Promise<SummaryFacts['events']> {
  return context.json || !context.io.live || runDir === null ? [] : readJournal(context, runDir);
}

async function gatherFacts(
  { runId, title, repo, runDir }: StartedView,
  end: RunEnd,
): Promise<Omit<SummaryFacts, 'events'>> {
  const view = runDir === null ? null : parseView((await readRunFile(join(runDir, 'state.json'))) ?? '');
  const result = end.kind === 'closed' ? end.result : null;
  const turns = runDir === null ? [] : await turnFoldersOf(runDir);
  const lastTurn = turns.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).at(-1) ?? null;
  return {
    runId,
    title: view?.title ?? title,
    runDir,
    worktree: view?.worktree ?? null,
    branch: view?.branch ?? null,
    waits: view === null ? null : waitsFor(view),
    baseBranch: view?.baseBranch ?? null,
    diff: result === null ? null : await changeOf(repo, result),
    lastTurn,
    files: await present(runDir, lastTurn),
    noChecksRan: await saidNoChecks(runDir),
  };
}

/** Null: nothing was committed, or its commits are not on this machine. */
export async function changeOf(
  repo: string,
  { baseSha, headSha }: Pick<RunResult, 'baseSha' | 'headSha'>,
): Promise<DiffStat | null> {
  return baseSha === null || headSha === null ? null : diffStat(repo, baseSha, headSha).catch(() => null);
}

function waitsFor(view: RunView): string | null {
  if (view.status !== 'waiting_for_approval') return pauseText(view);
  return `for ${waitingText(view.waiting ?? { kind: 'approval', until: null, account: null }, Date.now())}, see: sluice approvals show ${foreign(view.runId)}`;
}

async function present(runDir: string | null, lastTurn: string | null): Promise<ReadonlySet<string>> {
  if (runDir === null) return new Set();
  const names = [
    'approvals.json',
    'review.md',
    'verification.md',
    'validation.json',
    'events.jsonl',
    ...(lastTurn === null ? [] : [`turns/${lastTurn}/stream.jsonl`]),
  ];
  const there = await Promise.all(names.map((name) => exists(join(runDir, name))));
  return new Set(names.filter((_, index) => there[index]));
}

/** Every surface says it when no validation command was configured (V-102). */
async function saidNoChecks(runDir: string | null): Promise<boolean> {
  if (runDir === null) return false;
  return parseRecord((await readRunFile(join(runDir, 'assurance.json'))) ?? '')?.['checksRan'] === false;
}
