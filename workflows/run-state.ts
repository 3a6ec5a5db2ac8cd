/**
 * What a run knows of itself: lifecycle, facts and journal, and the run view made of them.
 * The workflow owns the truth; files, memo and details are projections of this state.
 */
import { uuid4, workflowInfo } from '@temporalio/workflow';
import type { ArtifactRef } from '../protocol/artifact.js';
import type { EventDataByType, TypedEventType } from '../protocol/event-data.js';
import type { EventType, JournalEvent, Observation } from '../protocol/journal.js';
import type { JsonObject } from '../protocol/json.js';
import { createLifecycle, isTerminal, type Lifecycle, type RunStatus, STAGES, type Stage } from '../protocol/lifecycle.js';
import { MAX_SENTENCE_CHARS } from '../protocol/limits.js';
import type { JournalBatch, OpenRunResult, RunInput, RunRef } from '../protocol/messages.js';
import type { BlockedReason, ReviewDecision, RunOutcome, ValidationOutcome, VerificationDecision } from '../protocol/outcomes.js';
import type { Place } from '../protocol/place.js';
import { redact } from '../protocol/redact.js';
import { titleOf } from '../protocol/run-input.js';
import type { RunView } from '../protocol/run-view.js';

/** Facts that stages find out. Mutable, and mutated by workflow code only. */
export interface RunFacts {
  outcome: RunOutcome | null;
  blockedReason: BlockedReason | null;
  error: string | null;
  stage: Stage | null;
  agent: RunView['agent'];
  headSha: string | null;
  /** Seq of the last turn's place. */
  turn: number | null;
  round: number;
  finalDecision: ReviewDecision | null;
  verification: VerificationDecision | null;
  validation: ValidationOutcome['kind'] | null;
  wroteCode: boolean;
  readOnlyViolations: number;
  diffViolations: number;
  plan: ArtifactRef | null;
  architecture: ArtifactRef | null;
  validationReport: ArtifactRef | null;
  review: ArtifactRef | null;
}

export class RunState {
  readonly facts: RunFacts = {
    outcome: null,
    blockedReason: null,
    error: null,
    stage: null,
    agent: null,
    headSha: null,
    turn: null,
    round: 0,
    finalDecision: null,
    verification: null,
    validation: null,
    wroteCode: false,
    readOnlyViolations: 0,
    diffViolations: 0,
    plan: null,
    architecture: null,
    validationReport: null,
    review: null,
  };

  opened: OpenRunResult | null = null;
  private readonly events: JournalEvent[] = [];
  private readonly startedAt = new Date().toISOString();
  private updatedAt = this.startedAt;
  private lifecycle: Lifecycle = createLifecycle(STAGES);
  private places = 0;
  private hostSeq = 0;

  constructor(
    readonly runId: string,
    readonly input: RunInput,
  ) {
    this.note('run.created', 'run accepted', { task: titleOf(input) });
  }

  get status(): RunStatus {
    return this.lifecycle.status;
  }

  get eventCount(): number {
    return this.events.length;
  }

  /** The open run; a stage is never entered without one. */
  get open(): OpenRunResult {
    if (this.opened === null) throw new Error('the run is not open yet');
    return this.opened;
  }

  get ref(): RunRef {
    return { runId: this.runId, repoKey: this.open.repoKey };
  }

  adopt(opened: OpenRunResult): void {
    this.opened = opened;
    this.facts.headSha = opened.baseSha;
    this.lifecycle = createLifecycle(opened.policy.stages);
    this.observe(opened.observations);
  }

  move(to: RunStatus): void {
    const from = this.lifecycle.move(to);
    this.note('state.changed', `${from} → ${to}`, { from, to, round: this.facts.round });
  }

  enter(stage: Stage): void {
    this.facts.stage = stage;
    this.facts.agent = null;
    if (this.status !== stage) this.move(stage);
  }

  note<Type extends EventType>(type: Type, message: string, data: Type extends TypedEventType ? EventDataByType[Type] : JsonObject): void {
    this.observe([{ timestamp: new Date().toISOString(), type, message: sentence(message), data }]);
  }

  observe(observations: readonly Observation[]): void {
    for (const observation of observations) {
      this.events.push({ ...observation, seq: this.events.length + 1 });
      this.updatedAt = new Date().toISOString();
    }
  }

  /** A new place each time: the token is drawn here, so that a reset never meets an old record. */
  nextPlace(): Place {
    this.places += 1;
    return { runId: this.runId, seq: this.places, token: uuid4() };
  }

  /** What the host does not hold yet. */
  batch(): JournalBatch {
    return { events: this.events.slice(this.hostSeq), view: this.view() };
  }

  /** A host that holds less than before (a person deleted the file) is sent everything again. */
  acknowledge(journalSeq: number): void {
    this.hostSeq = Math.min(journalSeq, this.events.length);
  }

  view(): RunView {
    const { facts, opened } = this;
    return {
      runId: this.runId,
      workflowId: workflowInfo().workflowId,
      task: this.input.task,
      title: titleOf(this.input),
      preset: opened?.policy.preset ?? this.input.preset ?? null,
      status: this.status,
      outcome: facts.outcome,
      stage: facts.stage,
      repo: opened?.repo ?? this.input.repo,
      worktree: opened?.worktree ?? null,
      host: opened?.hostId ?? this.input.host ?? null,
      branch: opened?.branch ?? null,
      baseBranch: opened?.baseBranch ?? null,
      baseSha: opened?.baseSha ?? null,
      headSha: facts.headSha,
      reviewLoopCount: facts.round,
      maxReviewLoops: opened?.policy.rounds ?? 0,
      finalDecision: facts.finalDecision,
      verification: facts.verification,
      pauseRequested: false,
      pausedAtStatus: null,
      pendingApprovalId: null,
      approvalRequestedFromStatus: null,
      waiting: opened === null && !isTerminal(this.status) ? { kind: 'host', until: null } : null,
      blockedReason: facts.blockedReason,
      error: facts.error,
      resumedFrom: null,
      merge: facts.outcome === 'merge_ready' && facts.wroteCode ? 'unmerged' : 'none',
      agent: facts.agent,
      startedAt: this.startedAt,
      updatedAt: this.updatedAt,
      seq: this.events.length,
    };
  }
}

/** One redacted line for people. */
export function sentence(text: string): string {
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, MAX_SENTENCE_CHARS - 1)}…`;
}
