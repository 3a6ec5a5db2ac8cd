/** `sluice status`: the run view, gates and budget, complete with --json (V-135). From the run itself, or from its files when it cannot be asked. */

import type { LandingView } from '../../../protocol/actors/landing.js';
import type { RunDetails, RunView } from '../../../protocol/messages/run-view.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { type Refusal, RefusedError } from '../../../protocol/text/refusal.js';
import { isFromFiles } from '../../calls/listed-run.js';
import { type Retrying, retryText } from '../../calls/retrying.js';
import { exists, type FoundRun, viewOf } from '../../look/find-runs.js';
import { detailsOf, gatesOnDisk, openGates } from '../../look/open-gates.js';
import { isMerged } from '../../repository.js';
import { agentLabel } from '../../views/agent-label.js';
import { budgetText } from '../../views/budget-text.js';
import { boundaryOf, decidingCommands, questionOf } from '../../views/gate-text.js';
import { gateLines, stateText } from '../../views/landing-text.js';
import { localTime } from '../../views/local-time.js';
import { stageCostLines } from '../../views/stage-costs.js';
import { pauseText, roundText, waitingText } from '../../views/waiting-text.js';
import { findRun } from '../find/find-run.js';
import { connectOrRead } from '../server/connect.js';
import type { Context } from '../terminal/context.js';
import { EXIT, type ExitCode } from '../terminal/exit-codes.js';
import { foreign, type Io } from '../terminal/io.js';
import { timeText } from '../terminal/time-text.js';
import { refusalOf } from '../watch/refused-start.js';

export async function status(context: Context, asked: string | null): Promise<ExitCode> {
  const { io, json } = context;
  await using sluice = await connectOrRead(context, 'this is what the run last wrote');
  const run = await findRun(context, sluice, asked);
  const refusal = await refusalOf(run, sluice);
  if (refusal !== null) return tellRefused(context, run, refusal);
  const [view, details] = await Promise.all([viewOf(run, sluice), detailsOf(run, sluice)]);
  if (view === null) throw new RefusedError(unknownView(run));
  const execution =
    view.outcome === null && sluice !== null ? await sluice.describe(run.workflowId).catch(() => null) : null;
  const retrying = execution?.retrying ?? null;
  const gates = details?.gates ?? (run.runDir === null ? null : await gatesOnDisk(run.runDir));
  // One that was ended from outside may have written no outcome.
  const isOpen = view.outcome === null && execution?.execution === 'RUNNING';
  const landing = isOpen || sluice === null ? null : await sluice.landing(run.runId).catch(() => null);
  const left = isOpen || run.runDir === null ? NOTHING_GONE : await lookAtLeft(view);
  if (json)
    io.json({
      ...view,
      ...mergeOf(view, landing, left),
      cleaned: left.isCleaned,
      retrying,
      attended: details?.attended ?? null,
      gates,
      ...budgetOf(details),
    });
  else {
    if (sluice !== null && isFromFiles(run)) io.err('The server does not know this run; this is what it last wrote.');
    const beside = { retrying, details, landing, left, gates: gates ?? [], outIsTerminal: io.outIsTerminal };
    for (const line of renderView(view, { ...beside, now: Date.now() })) io.out(line);
  }
  return EXIT.done;
}

/** Nothing was started, so there is no view: why it was refused is all that is known. */
function tellRefused(
  { io, json }: Context,
  { runId, workflowId, startedAt, closedAt }: FoundRun,
  refusal: Refusal,
): ExitCode {
  const { what, why, mend } = refusal;
  if (json) io.json({ runId, workflowId, status: null, refused: true, what, why, mend, startedAt, closedAt });
  else {
    const rows = [
      ['run', runId],
      ['status', `refused: ${what}`],
      ['', why],
      ['mend', mend],
      ['asked', timeText(startedAt, io)],
    ] as const;
    for (const [name, text] of rows) if (text !== '') io.out(`${name.padEnd(NAME_COLUMNS)}${foreign(text)}`);
  }
  return EXIT.done;
}

const NAME_COLUMNS = 13;

/** What became of a closed run's branch and worktree on this machine. */
interface Left {
  /** Its worktree was removed. */
  readonly isCleaned: boolean;
  /** Its head is in its base branch, whoever brought it there. */
  readonly isMerged: boolean;
}

const NOTHING_GONE: Left = { isCleaned: false, isMerged: false };

async function lookAtLeft({ repo, worktree, headSha, baseSha, baseBranch }: RunView): Promise<Left> {
  const isMergeable = headSha !== null && headSha !== baseSha && baseBranch !== null;
  return {
    isCleaned: worktree !== null && !(await exists(worktree)),
    isMerged: isMergeable && (await isMerged(repo, headSha, baseBranch).catch(() => null)) === true,
  };
}

/** What is known beside the view. */
export interface BesideView extends Pick<Io, 'outIsTerminal'> {
  readonly left: Left;
  readonly retrying: Retrying | null;
  readonly details: RunDetails | null;
  readonly gates: readonly Gate[];
  /** Of a closed run that somebody wanted on its base. */
  readonly landing: LandingView | null;
  /** ms since the epoch. */
  readonly now: number;
}

/** Foreign text is made printable here. */
export function renderView(view: RunView, beside: Partial<BesideView> = {}): string[] {
  const { retrying = null, details = null, landing = null, left = NOTHING_GONE, gates = [], now = Date.now() } = beside;
  const { outIsTerminal = true } = beside;
  const rows: readonly (readonly [string, string | null])[] = [
    ['run', view.runId],
    ['title', view.title],
    ['status', view.blockedReason === null ? view.status : `${view.status}: ${view.blockedReason}`],
    ['outcome', view.outcome],
    ['stage', view.stage],
    ['rounds', roundText(view)],
    ['waits for', view.waiting === null ? null : waitingText(view.waiting, now)],
    ['pause', view.outcome === null ? pauseText(view) : null],
    ['retrying', retrying === null ? null : `${retrying.activity}, ${retryText(retrying)}`],
    ['agent', view.agent === null ? null : agentLabel(view.agent)],
    ['reason', view.error],
    ...gates.map((gate) => ['gate', gateText(gate)] as const),
    ...openGates(gates).flatMap((gate) => decidingCommands(gate, view.runId).map((command) => ['', command] as const)),
    ['texts', details === null || details.waitingNotes === 0 ? null : `${details.waitingNotes} wait for the next turn`],
    ['budget', details === null ? null : budgetText(details)],
    ...stageCostLines(details?.stages ?? []).map((line, index) => [index === 0 ? 'cost' : '', line] as const),
    ['attended', details === null || details.attended ? null : 'no: gates expire as the policy says'],
    ['repository', view.repo],
    ['branch', view.branch],
    ['base', view.baseSha === null ? null : `${view.baseBranch ?? ''} ${view.baseSha.slice(0, 12)}`.trim()],
    ['head', view.headSha?.slice(0, 12) ?? null],
    ['worktree', view.worktree === null || !left.isCleaned ? view.worktree : `cleaned: it was ${view.worktree}`],
    ['review', view.finalDecision],
    ['verification', view.verification],
    ['merge', landing === null ? mergeText(view, left) : stateText(landing)],
    ...(landing === null ? [] : gateLines(landing)).map((line) => ['', line] as const),
    ['pull request', landing === null ? null : pullOf(landing)],
    ['started', timeText(view.startedAt, { outIsTerminal })],
    ['updated', timeText(view.updatedAt, { outIsTerminal })],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(NAME_COLUMNS)}${foreign(value)}`]));
}

function mergeText({ merge, baseBranch }: RunView, { isMerged: isThere }: Left): string | null {
  if (isThere || merge === 'merged') return `merged into ${baseBranch ?? 'its base'}`;
  return merge === 'none' ? null : merge;
}

/** Null: there is none, or it stands in what was said before. */
function pullOf(landing: LandingView): string | null {
  const { pull } = landing;
  return pull === null || stateText(landing).includes(pull.url) ? null : `${pull.number}, ${pull.url}`;
}

/** The landing alone tells what became of a closed run's head. */
function mergeOf(
  view: RunView,
  landing: LandingView | null,
  left: Left,
): Pick<RunView, 'merge'> & { readonly landing: LandingView | null } {
  return { merge: landing?.merge ?? (left.isMerged ? 'merged' : view.merge), landing };
}

function gateText(gate: Gate): string {
  const decided = gate.resolvedBy === null ? '' : ` by ${gate.resolvedBy}`;
  const state =
    gate.status === 'pending' ? `open, risk ${gate.riskLevel}: ${questionOf(gate)}` : gate.status.replace('_', ' ');
  return `${gate.id} ${boundaryOf(gate)}: ${state}${decided}`;
}

/** Null where no worker answers. */
function budgetOf(details: RunDetails | null) {
  const budget = details === null ? null : { limits: details.policy?.budget ?? null, used: details.used };
  return { budget, stages: details?.stages ?? null, waitingNotes: details?.waitingNotes ?? null };
}

function unknownView(run: FoundRun) {
  return {
    what: `the run ${foreign(run.runId)} cannot be asked and has no state.json here`,
    why: 'a run answers through a worker, or is read from its folder on its own host',
    now: `The server says: ${run.execution ?? 'nothing'}; started ${localTime(run.startedAt)}.`,
    mend: 'sluice up    or, on another host: sluice worker',
  };
}
