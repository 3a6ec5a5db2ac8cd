/**
 * The run directory `.sluice/runs/<runId>/` (docs/requirements/vibestrate.md "Run directory"): what a run did, for people. Everything in it is redacted and may be written
 * again by a repeated activity; nothing in it is ever read back as control, so editing or deleting it changes no run (V-07). What stands in the
 * way is moved aside; a file that cannot be written is left out and told, and the run goes on.
 */
import { lstatSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readForeignFileSync, textOf } from '../../config/system/foreign-file.js';
import type { LandingView } from '../../protocol/actors/landing.js';
import type { Failpoint } from '../../protocol/failpoints.js';
import { type LiveTurn, turnFolder } from '../../protocol/messages/live-text.js';
import { LIVE_FILE, type LiveWork } from '../../protocol/messages/live-work.js';
import type { JournalBatch } from '../../protocol/messages/messages.js';
import type { MergeState, RunView } from '../../protocol/messages/run-view.js';
import type { Finding, FindingResponse } from '../../protocol/run/finding.js';
import { isTerminal } from '../../protocol/run/lifecycle.js';
import {
  type CommandResult,
  type ReviewDecision,
  TURN_OUTCOMES,
  type TurnOutcomeKind,
  type ValidationReport,
  type Verdict,
  type VerificationDecision,
} from '../../protocol/run/outcomes.js';
import type { BudgetPolicy } from '../../protocol/run/policy.js';
import { isRunId } from '../../protocol/run/run-id.js';
import { STAGE_ROWS, type TurnStage } from '../../protocol/run/stages.js';
import type { Json } from '../../protocol/text/json.js';
import { type Redactor, SHAPES_ONLY } from '../../protocol/text/value-redactor.js';
import { computeMetrics } from '../../protocol/views/metrics.js';
import { readReviewText } from '../../protocol/views/review-text.js';
import { type FoundEntry, UnsafePathError } from './clear-way.js';
import { readEvents } from './events-file.js';
import { addToExecutionLog, MAX_EXECUTION_LOG_BYTES } from './execution-log.js';
import { goOn, type Skipped } from './go-on.js';
import { hideFromGit } from './hide-from-git.js';
import { LiveFile } from './live-file.js';
import { hasChecks, type ReportedChanges, renderReport } from './report.js';
import { type ReviewFile, renderResponses, renderReview, renderVerification } from './review-files.js';
import { copyTo, jsonText, put, putJson, putRound, putText, type RunFolder } from './run-files.js';
import { expireGates, openGates, putMerge, type WrittenBatch, writeBatch } from './run-journal.js';
import { ensureFolder, sweepTemporaries, writeFileAtomic } from './write-file.js';

export interface ProjectionOptions {
  /** Absolute, real path of the repository's work tree. */
  readonly repo: string;
  /** Relative to it. */
  readonly runsDir: string;
  readonly runId: string;
  readonly fsync: boolean;
  readonly failpoint: Failpoint;
  /** Something stood where we write; it is beside it now. */
  readonly found: (entry: FoundEntry) => void;
  /** A step failed for good; the run goes on without it. */
  readonly skipped: Skipped;
  /** Of the run. Without one only secrets of known shapes are found. */
  readonly redactor?: Redactor;
  /** **Unit** bytes that are shown of one output: `limits.outputBytes`. */
  readonly outputBytes: number;
}

/** The head of turn.json; `class` is the outcome's kind. Absent values are null. */
export type TurnSummary = {
  readonly seq: number;
  readonly stage: TurnStage;
  readonly round: number;
  readonly attempt: number;
  readonly agent: string;
  readonly adapter: string;
  readonly model: string | null;
  readonly conversationId: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly exitCode: number | null;
  readonly class: TurnOutcomeKind;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
  /** Tool calls that the agent was refused. */
  readonly denied: number;
};

export interface TurnProjection {
  readonly turn: TurnSummary;
  readonly prompt: string;
  /** The agent's final text. */
  readonly output: string;
  /** Raw output on disk, of any size; null where there is none. */
  readonly streamPath: string | null;
  /** Where the branch stands after the turn. */
  readonly commit: string;
  /** Of a turn that decides; null where it was unreadable or the stage has none. */
  readonly review: ReviewDecision | null;
  readonly verification: VerificationDecision | null;
  /** Of a review. */
  readonly findings: readonly Finding[];
  /** Of a fix, and the findings that it was asked to answer. */
  readonly responses: readonly FindingResponse[];
  readonly answered: readonly Finding[];
}

export interface ValidationProjection {
  readonly report: ValidationReport;
  /** Red checks that make the decision of the review, without a reviewer (V-26); null: they do not. */
  readonly findings: readonly Finding[] | null;
  /** Raw output files, in the order of the report's commands. */
  readonly outputs: readonly { readonly stdout: string; readonly stderr: string }[];
}

export interface CloseProjection {
  readonly view: RunView;
  readonly validation: ValidationReport | null;
  readonly changes: ReportedChanges;
  /** Sentences for the report: what happened to the run's own files. */
  readonly notes: readonly string[];
  readonly budget: BudgetPolicy;
  readonly verdict: Verdict;
  readonly verdictReasons: readonly string[];
  readonly endedAt: string;
}

export interface RunProjection {
  readonly runDir: string;
  /** Makes what is missing of the run directory, `.gitignore` and an empty approvals.json. */
  open(): Promise<void>;
  /** Appends the batch and rewrites approvals.json and state.json, unless newer ones stand there. */
  journal(batch: JournalBatch): Promise<WrittenBatch>;
  /** The same for the landing of the run, in a folder of its own; state.json of the run tells the merge. */
  landing(batch: JournalBatch<LandingView>): Promise<WrittenBatch>;
  /** What became of its head, in state.json. */
  merge(merge: MergeState): Promise<void>;
  /** What it is at just now; null: nothing, and the file goes. */
  showWork(work: LiveWork | null): Promise<void>;
  /** What the agent of a turn says. */
  liveFile(turn: LiveTurn): LiveFile;
  /** Gates that approvals.json shows open expire at this moment: the run was ended from outside. */
  expireGates(at: string): Promise<void>;
  /** Errors of both: the signal's reason, within one block of what is copied. */
  projectTurn(input: TurnProjection, signal?: AbortSignal): Promise<void>;
  projectValidation(input: ValidationProjection, signal?: AbortSignal): Promise<void>;
  /** Of the plan. */
  steps(steps: Json): Promise<void>;
  /** A page about its task. */
  page(name: string, page: string): Promise<void>;
  /** After the last `journal`. Answers the absolute path of report.md. */
  projectClose(input: CloseProjection): Promise<string>;
}

/** Paths of a command's output, relative to the run directory. Unit: `n` counts from 1. */
export function nameOutputPaths(round: number, n: number): Pick<CommandResult, 'stdoutPath' | 'stderrPath'> {
  return { stdoutPath: `validation/${round}-${n}.stdout.txt`, stderrPath: `validation/${round}-${n}.stderr.txt` };
}

/** Errors: UnsafePathError where the runs directory would leave the repository; each step: only a shortage of the machine (`goOn`). */
export function createRunProjection(options: ProjectionOptions): RunProjection {
  const { repo, runId, fsync, failpoint, found, skipped, outputBytes, redactor = SHAPES_ONLY } = options;
  if (
    !isRunId(runId) ||
    isAbsolute(options.runsDir) ||
    options.runsDir.split('/').some((part) => part === '..' || part === '.git')
  ) {
    throw new UnsafePathError(
      `run directory ${JSON.stringify(`${options.runsDir}/${runId}`)} must lie inside the repository`,
    );
  }
  const runsDir = join(repo, options.runsDir);
  const runDir = join(runsDir, runId);
  const write = { root: repo, fsync, failpoint, aside: { below: runsDir, tell: found } };
  const folder: RunFolder = { runDir, write, skipped, redactor, outputBytes };
  return {
    runDir,
    async open() {
      await goOn(skipped, 'the run directory', () => ensureFolder(runDir, folder.write));
      await goOn(skipped, '.gitignore', () => hideFromGit(runsDir, runId, folder.write));
      await openGates(folder);
    },
    journal: (batch) => writeBatch(folder, batch, { failpoint, isClosed: isTerminal(batch.view.status) }),
    landing: (batch) => projectLanding(folder, batch, failpoint),
    merge: (merge) => putMerge(folder, merge),
    showWork: (work) => showWork(folder, work),
    liveFile: (turn) => new LiveFile(join(runDir, turnFolder(turn)), write),
    expireGates: (at) => expireGates(folder, at),
    projectTurn: (input, signal) => projectTurn(folder, input, signal),
    projectValidation: (input, signal) => projectValidation(folder, input, signal),
    steps: (steps) => putJson(folder, 'steps.json', steps),
    page: (name, page) => put(folder, name, page),
    projectClose: (input) => projectClose(folder, input),
  };
}

/** Nobody misses it after a power cut, so it is never flushed. */
async function showWork(folder: RunFolder, work: LiveWork | null): Promise<void> {
  const path = join(folder.runDir, LIVE_FILE);
  // Most commands are over before anybody is told of them.
  if (work === null && lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  ensureFolder(folder.runDir, folder.write);
  if (work === null) rmSync(path, { force: true });
  else await writeFileAtomic(path, JSON.stringify(work), { ...folder.write, fsync: false });
}

async function projectLanding(
  folder: RunFolder,
  batch: JournalBatch<LandingView>,
  failpoint: Failpoint,
): Promise<WrittenBatch> {
  const own = { ...folder, runDir: join(folder.runDir, 'landing') };
  await goOn(folder.skipped, 'the folder of the landing', () => ensureFolder(own.runDir, folder.write));
  const { merge } = batch.view;
  const isClosed = merge === 'merged' || merge === 'abandoned';
  const written = await writeBatch(own, batch, { failpoint, isClosed });
  if (written.isNewest) await putMerge(folder, merge);
  return written;
}

async function projectTurn(folder: RunFolder, input: TurnProjection, signal?: AbortSignal): Promise<void> {
  const { turn, streamPath } = input;
  const place = turnFolder(turn);
  await put(folder, `${place}/prompt.md`, input.prompt);
  await Promise.all([
    put(folder, `${place}/output.md`, input.output),
    putJson(folder, `${place}/turn.json`, turn),
    ...(streamPath === null ? [] : [copyTo(folder, { name: `${place}/stream.jsonl`, source: streamPath, signal })]),
    projectStage(folder, input),
  ]);
}

async function projectStage(folder: RunFolder, input: TurnProjection): Promise<void> {
  const { turn, commit, output } = input;
  const { file } = STAGE_ROWS[turn.stage].leaves;
  switch (file) {
    case 'execution.log':
      return putExecutionLog(folder, input);
    case 'review.md':
      if (input.review === null) return;
      return putReview(folder, {
        round: turn.round,
        decision: input.review,
        commit,
        source: 'agent',
        summary: null,
        findings: input.findings,
        raw: output,
      });
    case 'finding-responses.md':
      return putResponses(folder, input);
    case 'verification.md':
      if (input.verification === null) return;
      return putRound(folder, turn.round, {
        name: file,
        text: folder.redactor.text(
          renderVerification({ decision: input.verification, commit, summary: null, openPoints: [], raw: output }),
        ),
      });
    default:
      return put(folder, file, orNothingSaid(output));
  }
}

async function putReview(folder: RunFolder, review: ReviewFile): Promise<void> {
  await putRound(folder, review.round, { name: 'review.md', text: folder.redactor.text(renderReview(review)) });
}

async function putResponses(
  folder: RunFolder,
  { turn, commit, output, responses, answered }: TurnProjection,
): Promise<void> {
  const text = renderResponses({
    round: turn.round,
    findings: answered,
    responses,
    commit: TURN_OUTCOMES[turn.class].commits ? commit : null,
    raw: output,
  });
  await putRound(folder, turn.round, { name: 'finding-responses.md', text: folder.redactor.text(text) });
}

async function putExecutionLog(folder: RunFolder, { turn, output }: TurnProjection): Promise<void> {
  const log =
    textOf(readForeignFileSync(join(folder.runDir, 'execution.log'), { maxBytes: MAX_EXECUTION_LOG_BYTES })) ?? '';
  const { seq, stage, agent, startedAt } = turn;
  await put(
    folder,
    'execution.log',
    addToExecutionLog(log, { seq, stage, agent, startedAt, output: folder.redactor.text(output) }),
  );
}

async function projectValidation(
  folder: RunFolder,
  { report, outputs, findings }: ValidationProjection,
  signal?: AbortSignal,
): Promise<void> {
  for (const [index, { stdout, stderr }] of outputs.entries()) {
    const { stdoutPath, stderrPath } = nameOutputPaths(report.round, index + 1);
    await copyTo(folder, { name: stdoutPath, source: stdout, signal });
    await copyTo(folder, { name: stderrPath, source: stderr, signal });
  }
  const { round, commit, tree, commands, summary, treeChanged, note } = report;
  const json: Json = {
    round,
    commit,
    tree,
    commands: commands.map((result) => ({ ...result })),
    summary: { ...summary },
    treeChanged,
    note,
  };
  await putRound(folder, round, { name: 'validation.json', text: jsonText(json, folder.redactor) });
  if (findings === null) return;
  await putReview(folder, {
    round,
    decision: 'CHANGES_REQUESTED',
    commit,
    source: 'validation',
    summary: 'Validation is red, so no reviewer was asked.',
    findings,
    raw: 'No agent worked: the engine made this review from the validation.',
  });
}

async function projectClose(folder: RunFolder, input: CloseProjection): Promise<string> {
  const { view, verdict, verdictReasons } = input;
  const path = join(folder.runDir, 'report.md');
  const events =
    (await goOn(folder.skipped, 'events.jsonl', () => readEvents(join(folder.runDir, 'events.jsonl')))) ?? [];
  const metrics = computeMetrics(events, view.startedAt, input.endedAt);
  await putJson(folder, 'metrics.json', metrics);
  await putJson(folder, 'assurance.json', {
    verdict,
    checksRan: hasChecks(input.validation),
    reasons: [...verdictReasons],
  });
  const { findings } = readReviewText(reviewOf(folder));
  await putText(folder, 'report.md', () => folder.redactor.text(renderReport({ ...input, events, metrics, findings })));
  await goOn(folder.skipped, LIVE_FILE, () => showWork(folder, null));
  await goOn(folder.skipped, 'the sweep', () => sweepTemporaries(folder.runDir));
  return path;
}

/** Empty where there is none. Only shown, as all that lies there. */
function reviewOf({ runDir }: RunFolder): string {
  return (
    textOf(readForeignFileSync(join(runDir, STAGE_ROWS.reviewing.leaves.file), { maxBytes: MAX_REVIEW_BYTES })) ?? ''
  );
}

/** Unit: bytes. */
const MAX_REVIEW_BYTES = 16 * 1024 * 1024;

/** A text that later stages are given is never empty. */
function orNothingSaid(output: string): string {
  return output.trim() === '' ? 'The agent ended without a text.\n' : output;
}
