/** One run in full, for the page: from the run itself, from its folder, and from its line of the list. */
import type { LandingView } from '../../protocol/actors/landing.js';
import type { RunDetails, RunView } from '../../protocol/messages/run-view.js';
import type { Gate } from '../../protocol/run/gate.js';
import { isTerminal } from '../../protocol/run/lifecycle.js';
import { type FoundRun, viewOf } from '../look/find-runs.js';
import { gatherFacts } from '../look/gate-facts.js';
import { detailsOf, gatesOnDisk } from '../look/open-gates.js';
import { readTurns } from '../look/read-turns.js';
import type { ShownCheck } from '../look/run-parts.js';
import type { Sluice } from '../sluice.js';
import { agentLabel } from '../views/agent-label.js';
import { budgetText } from '../views/budget-text.js';
import { boundaryOf, questionOf, sourceText } from '../views/gate-text.js';
import { stateText } from '../views/landing-text.js';
import { roundText, waitingText } from '../views/waiting-text.js';
import { cutList, cutText, type ListBounds } from './cut.js';
import { rowOf } from './list-runs.js';
import type { GateCard, RunPage } from './shapes.js';

/** **Unit** characters. */
const MAX_PLAN_CHARS = 64 * 1024;

/** Of each list: what a browser draws without a pause, and more than a person reads. */
const BOUNDS: ListBounds = { maxEntries: 1_000, maxChars: 4_096, maxAll: 512 * 1024 };

/** `sluice` null: nobody answers. Never rejects for what cannot be read. */
export async function readRun(run: FoundRun, sluice: Sluice | null): Promise<RunPage> {
  const [details, own] = await Promise.all([
    detailsOf(run, sluice),
    sluice?.status(run.workflowId).catch(() => null) ?? null,
  ]);
  const view = own ?? (await viewOf(run, null));
  const { landing, isLandingHeard } = await landingOf(run, sluice);
  const ofRun = details?.gates ?? (run.runDir === null ? [] : ((await gatesOnDisk(run.runDir)) ?? []));
  const gates = [...ofRun.map(cardOf('run')), ...(landing?.gates ?? []).map(cardOf('landing'))];
  const page: Omit<RunPage, 'leftOut'> = {
    ...(view === null ? ofList(run) : ofView(view, own === null ? 'file' : 'run')),
    ...(await factsOf(run, view, details)),
    row: rowOf(run),
    landing: landing === null ? null : stateText(landing),
    isLandingHeard,
    gates: neededFirst(gates),
    budget: details === null ? null : budgetText(details),
    runDir: run.runDir,
  };
  return bounded(page);
}

async function landingOf(
  { runId }: FoundRun,
  sluice: Sluice | null,
): Promise<{ readonly landing: LandingView | null; readonly isLandingHeard: boolean }> {
  if (sluice === null) return { landing: null, isLandingHeard: false };
  try {
    return { landing: await sluice.landing(runId), isLandingHeard: true };
  } catch {
    return { landing: null, isLandingHeard: false };
  }
}

/** What can be decided stands before what was, and the newest first: of a list that is too long the end is left out. */
function neededFirst(gates: readonly GateCard[]): GateCard[] {
  const rank = ({ status }: GateCard) => (status === 'pending' ? 0 : 1);
  return gates.toReversed().sort((a, b) => rank(a) - rank(b));
}

/** What it leaves out is named. */
function bounded(page: Omit<RunPage, 'leftOut'>): RunPage {
  const changes = page.changes === null ? null : cutList('changes', page.changes, BOUNDS);
  const checks = page.checks === null ? null : cutList('checks', page.checks.commands, BOUNDS);
  const [findings, turns, stages, gates] = [
    cutList('findings', page.findings, BOUNDS),
    cutList('turns', page.turns, BOUNDS),
    cutList('stages', page.stages, BOUNDS),
    cutList('gates', page.gates, BOUNDS),
  ];
  const lists = [gates, changes, checks, findings, stages, turns];
  return {
    ...page,
    findings: findings.list,
    turns: turns.list,
    stages: stages.list,
    gates: gates.list,
    changes: changes?.list ?? null,
    checks: page.checks === null || checks === null ? null : { ...page.checks, commands: checks.list },
    leftOut: lists.flatMap((cut) => (cut === null || cut.told === null ? [] : [cut.told])),
  };
}

type OfView = Omit<
  RunPage,
  'row' | 'leftOut' | 'landing' | 'isLandingHeard' | 'gates' | 'budget' | 'runDir' | keyof Facts
>;

function ofView(view: RunView, told: RunPage['told']): OfView {
  const { task, status, outcome, stage, waiting, blockedReason, error, agent, repo, branch, updatedAt, seq } = view;
  return {
    told,
    task,
    status,
    outcome,
    stage,
    blockedReason,
    error,
    repo,
    branch,
    updatedAt,
    seq,
    baseSha: view.baseSha,
    headSha: view.headSha,
    base: view.baseBranch,
    worktree: view.worktree,
    review: view.finalDecision,
    verification: view.verification,
    rounds: roundText(view),
    waits:
      waiting === null || isTerminal(status)
        ? null
        : { text: waitingText({ ...waiting, until: null }, 0), until: waiting.until },
    pause: status === 'paused' ? 'paused' : view.pauseRequested ? 'asked' : 'none',
    agent: agent === null ? null : agentLabel(agent),
  };
}

/** Neither the run nor a file answers. */
function ofList(run: FoundRun): OfView {
  const none = { outcome: null, rounds: null, waits: null, blockedReason: null, error: null, agent: null };
  return {
    ...none,
    told: 'list',
    task: '',
    status: run.status ?? 'unknown',
    stage: run.stage,
    pause: 'none',
    repo: run.repo ?? '',
    branch: run.branch,
    base: null,
    baseSha: null,
    headSha: null,
    worktree: null,
    review: null,
    verification: null,
    updatedAt: run.since ?? run.startedAt,
    seq: 0,
  };
}

type Facts = Pick<RunPage, 'plan' | 'checks' | 'findings' | 'changes' | 'stages' | 'turns'>;

async function factsOf(run: FoundRun, view: RunView | null, details: RunDetails | null): Promise<Facts> {
  const { repo = '', baseSha = null, headSha = null } = view ?? {};
  const place = { runDir: run.runDir, repo, baseSha };
  const facts = await gatherFacts(place, { commit: headSha }, details?.stages ?? []);
  const { plan, checks, review, files } = facts;
  return {
    plan: plan === null ? null : cutText(plan, MAX_PLAN_CHARS),
    checks: checks === null ? null : { ...checks, commands: checks.commands.map(shownCheck) },
    findings: [...(review?.findings ?? [])],
    changes: files === null ? null : [...files],
    stages: [...facts.used],
    turns: run.runDir === null ? [] : [...(await readTurns(run.runDir))],
  };
}

function shownCheck({ command, status, durationMs, failedOnBase }: ShownCheck) {
  return { command, status, durationMs, failedOnBase };
}

function cardOf(of: GateCard['of']): (gate: Gate) => GateCard {
  return (gate) => ({
    of,
    id: gate.id,
    status: gate.status,
    question: gate.question,
    reason: gate.reason,
    commit: gate.commit,
    boundary: boundaryOf(gate),
    asks: questionOf(gate),
    risk: gate.riskLevel,
    askedBy: sourceText(gate),
    files: [...gate.files],
    options: gate.options === null ? null : [...gate.options],
    changesGoTo: gate.changesGoTo,
    createdAt: gate.createdAt,
    expiresAt: gate.expiresAt,
    resolvedAt: gate.resolvedAt,
    resolvedBy: gate.resolvedBy,
    decisionNote: gate.decisionNote,
  });
}
