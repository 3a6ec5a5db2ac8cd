/**
 * Repairs of a head that does not land as it is: a child run makes another one of it, which then lands instead. A person may ask for one; red checks and a conflict bring one by
 * themselves once the attempts of the queue are used up. Pure. Source: T-75, V-47.
 */
import type { ExamineRepairResult, PlanRepairResult, RepairKind, RunToLand } from '../../protocol/actors/landing.js';
import type { RunInput } from '../../protocol/messages/messages.js';
import { repairRunId } from '../../protocol/names.js';
import { firstWait, LOST_WORD, waitThenDouble } from '../actor/back-off.js';
import type { LandingErrand } from './landing-errand.js';
import { isByHand, type Missing, openGate } from './landing-gates.js';
import { giveUpPull, isMerged } from './landing-leaving.js';
import type { LandingState, LandingStep, Phase, Repair } from './landing-state.js';
import { abandon, open, queueOf, rest } from './landing-steps.js';

const MAX_REPAIRS = 3;

/** Null: a person is asked. */
export function repairUnasked(state: LandingState, { reason, why, files = [] }: Missing): LandingStep | null {
  const kind = kindOf(state, reason);
  if (kind === null || isByHand(state) || state.terms?.canFix !== true || state.repairs >= MAX_REPAIRS) return null;
  return plan({ ...state, repairs: state.repairs + 1 }, { kind, why, files, findings: [] }, null);
}

function kindOf({ terms }: LandingState, reason: Missing['reason']): RepairKind | null {
  if (reason === 'red') return 'turn';
  const conflict = terms?.landing.conflict ?? 'gate';
  return reason === 'conflict' && conflict !== 'gate' ? conflict : null;
}

/** Source: V-47. */
export function repairAsked(state: LandingState, { text, by }: { text: string; by: string | null }): LandingStep {
  const rounds = state.changeRounds + 1;
  const allowed = state.terms?.gates.maxChangeRounds ?? 0;
  const over = `changes were requested ${rounds} times at the gate into landing; ${allowed} are allowed`;
  if (rounds > allowed) return abandon(state, over, giveUpPull(state));
  const pull = isMerged(state) ? null : state.pull;
  return plan({ ...state, pull, changeRounds: rounds }, { kind: 'changes', why: text, files: [], findings: [] }, by);
}

/** A person wants the task done anew, on the base as it is now. */
export function repairAnew(state: LandingState, { why, files = [] }: Missing, by: string | null): LandingStep {
  return plan(state, { kind: 'recreate', why, files, findings: [] }, by);
}

/** What is said against it at its pull request. */
export function repairRemarks(state: LandingState, { why, findings }: Pick<Repair, 'why' | 'findings'>): LandingStep {
  return plan(state, { kind: 'changes', why, files: [], findings }, null);
}

function plan(state: LandingState, repair: Repair, by: string | null): LandingStep {
  const { run, base, headRunId } = state;
  const source = run?.source ?? null;
  if (source === null) return rest(state);
  const { host, repoKey, head } = source;
  const { kind, why, files, findings } = repair;
  const queue = queueOf(state, { repoKey, branch: base ?? source.base.branch });
  const times = { lookAtMs: null, everyMs: LOST_WORD.firstMs };
  // What kept it from being planned before lasts until it is.
  const trouble = state.phase.kind === 'repairing' ? state.phase.trouble : null;
  const phase: Phase = { kind: 'repairing', repair, runId: null, isClosing: false, trouble, ...times };
  const input = { repoKey, runId: headRunId, head, queue, kind, isConflict: files.length > 0, why, findings, by };
  return rest({ ...state, phase }, [{ kind: 'plan', workflowId: headRunId, host, input }]);
}

export function startRepair(state: LandingState, planned: PlanRepairResult, now: number): LandingStep {
  const { phase } = state;
  // A second answer, of a pause that was taken back, begins no second run.
  if (phase.kind !== 'repairing' || phase.runId !== null) return rest(state);
  const { repair } = phase;
  if (planned.kind === 'unneeded') return open(state);
  if (planned.kind === 'refused')
    return rest(openGate(state, { reason: 'repair_failed', why: planned.why, files: repair.files }, now));
  const { terms, run, self } = state;
  const host = run?.source?.host;
  const input: RunInput = {
    task: terms?.task ?? '',
    repo: terms?.repo ?? '',
    title: terms?.title ?? '',
    ...(host === undefined ? {} : { host }),
    attended: state.isAsked || state.attended,
    rewind: planned.rewind,
    owner: self.slice(0, self.lastIndexOf('/')),
  };
  return startChild(state, { repair, input }, now);
}

interface Child {
  readonly repair: Repair;
  readonly input: RunInput;
}

function startChild(state: LandingState, { repair, input }: Child, now: number): LandingStep {
  const children = state.children + 1;
  const runId = repairRunId(state.runId, children);
  const { atMs: lookAtMs, everyMs } = firstWait(LOST_WORD, now);
  const phase: Phase = { kind: 'repairing', repair, runId, isClosing: false, trouble: null, lookAtMs, everyMs };
  return rest({ ...state, children, phase }, [{ kind: 'startRun', workflowId: runId, input }]);
}

/** Another landing of the run has the id: the next one, planned anew since the base may have moved. */
export function renameRepair(state: LandingState): LandingStep {
  const { phase } = state;
  if (phase.kind === 'paused' && phase.repair !== null)
    return rest({ ...state, phase: { ...phase, repair: { ...phase.repair, runId: null } } });
  return phase.kind === 'repairing' ? plan(state, phase.repair, null) : rest(state);
}

/** It is time to look, or the child says that it ends. */
export function lookAtRepair(state: LandingState, isClosing: boolean, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'repairing') return rest(state);
  // How it begins could not be found out.
  if (phase.runId === null) return plan(state, phase.repair, null);
  const { atMs: lookAtMs, everyMs } = waitThenDouble(phase, LOST_WORD, now);
  const next: Phase = { ...phase, isClosing, lookAtMs, everyMs };
  return rest({ ...state, phase: next }, [{ kind: 'open', workflowId: phase.runId }]);
}

/** Unit: ms; between the word of a run and its end lies the answer to that word. */
const CLOSING_MS = 500;

export function readRepair(state: LandingState, answer: RunToLand, now: number): LandingStep {
  const { phase } = state;
  if (phase.kind !== 'repairing' || phase.runId === null) return rest(state);
  const { runId, repair } = phase;
  if (answer.kind === 'open') {
    const told = { ...state, phase: { ...phase, trouble: null } };
    return rest(phase.isClosing ? { ...told, phase: { ...told.phase, lookAtMs: now + CLOSING_MS } } : told);
  }
  const failed = (why: string): LandingStep => {
    const missing = { reason: 'repair_failed', why: `${repair.why}; ${why}`, files: repair.files } as const;
    return rest(openGate(state, missing, now));
  };
  if (answer.kind === 'none') return failed(`the run ${runId}, which was to mend it, has no answer`);
  const { outcome, verdict, source } = answer;
  if (outcome !== 'merge_ready' || source === null)
    return failed(`the run ${runId}, which was to mend it, ended ${outcome}`);
  // Any other word was of the head before.
  const waived = state.waived.filter((reason) => reason === 'listed' || reason === 'needs');
  // Who has the task done anew wants nothing that was pushed before.
  const theirs = repair.kind === 'recreate' ? null : state.theirs;
  const repaired = { ...state, waived, theirs, run: { outcome, verdict, source }, headRunId: runId };
  if (repair.kind !== 'turn') return open(repaired);
  const input = { repoKey: source.repoKey, runId, head: source.head };
  return rest(repaired, [{ kind: 'examine', workflowId: runId, host: source.host, input }]);
}

export function readExamined(state: LandingState, { left }: ExamineRepairResult, now: number): LandingStep {
  if (state.phase.kind !== 'repairing') return rest(state);
  return left === null ? open(state) : rest(openGate(state, { reason: 'unresolved', ...left }, now));
}

/** Where it is given up meanwhile. */
export function abortRepair(phase: Phase, reason: string): readonly LandingErrand[] {
  if (phase.kind !== 'repairing' || phase.runId === null) return [];
  return [{ kind: 'abortRun', workflowId: phase.runId, reason }];
}
