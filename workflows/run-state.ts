/**
 * What a run knows of itself: lifecycle, facts and journal, and the run view made of them.
 * The workflow owns the truth; files, memo and details are projections of this state.
 */
import { uuid4, workflowInfo } from '@temporalio/workflow';
import { budgetWorkflowId } from '../protocol/day-budget.js';
import type { EventDataByType, TypedEventType } from '../protocol/event-data.js';
import type { Gate } from '../protocol/gate.js';
import type { EventType, JournalEvent, Observation } from '../protocol/journal.js';
import type { JsonObject } from '../protocol/json.js';
import { createLifecycle, isTerminal, type Lifecycle, type RunStatus } from '../protocol/lifecycle.js';
import { MAX_BATCH_CHARS, MAX_SENTENCE_CHARS } from '../protocol/limits.js';
import type { FrozenRunRef, JournalBatch, OpenRunResult, PersonNote, ResumedRun, RunInput, TurnContext } from '../protocol/messages.js';
import type { BlockedReason, ReviewDecision, RunOutcome, ValidationOutcome, VerificationDecision } from '../protocol/outcomes.js';
import type { Place } from '../protocol/place.js';
import type { RunPolicy, StageAgent } from '../protocol/policy.js';
import { redact } from '../protocol/redact.js';
import { STAGES, type Stage, type TurnStage } from '../protocol/run/stages.js';
import { titleOf } from '../protocol/run-input.js';
import type { BudgetUse, RunDetails, RunView } from '../protocol/run-view.js';
import { stageUseOf } from '../protocol/stage-use.js';
import { NOTHING_USED } from './budget.js';
import { GateBook } from './gate-book.js';
import { firstOf } from './journal-batch.js';

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
  /** Entries into fixing. */
  round: number;
  /** Those that a person asked for: they use up no round of the policy. */
  personRounds: number;
  finalDecision: ReviewDecision | null;
  verification: VerificationDecision | null;
  validation: ValidationOutcome['kind'] | null;
  /** Commits that the evidence is about; evidence about another tree does not count (V-36). */
  evidence: Record<'validation' | 'review' | 'verification', string | null>;
  wroteCode: boolean;
  readOnlyViolations: number;
  diffViolations: number;
  usageWaits: number;
  writeTurn?: Place;
  context: TurnContext;
}

/** What people asked of the run and what it waits for. Mutated by messages and boundaries only. */
export interface PeopleState {
  title: string;
  pauseRequested: boolean;
  pausedAtStatus: RunStatus | null;
  /** Set by an accepted abort; native cancellation leaves it null. */
  abort: { readonly by: string | null; readonly reason: string | null } | null;
  /** The outcome is decided: every message is refused. */
  closing: boolean;
  /** Texts for the next turn, oldest first. */
  notes: PersonNote[];
  waiting: RunView['waiting'];
  approvalRequestedFromStatus: RunStatus | null;
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
    personRounds: 0,
    finalDecision: null,
    verification: null,
    validation: null,
    evidence: { validation: null, review: null, verification: null },
    wroteCode: false,
    readOnlyViolations: 0,
    diffViolations: 0,
    usageWaits: 0,
    context: { plan: null, architecture: null, validation: null, review: null, findings: null, validationOutput: null },
  };

  /** `full`: the run ends at the next boundary or wait; `ended`: that is why it is being ended. See full-history.ts. */
  history: 'free' | 'full' | 'ended' = 'free';
  readonly gates = new GateBook();
  readonly people: PeopleState;
  used: BudgetUse = NOTHING_USED;
  opened: OpenRunResult | null = null;
  private readonly events: JournalEvent[] = [];
  private readonly startedAt = new Date().toISOString();
  private updatedAt = this.startedAt;
  private lifecycle: Lifecycle = createLifecycle(STAGES);
  private places = 0;
  private hostSeq = 0;
  /** The last event that any activity was handed. */
  private handedSeq = 0;
  private acknowledged = 0;
  /** The gates that the host holds. */
  private hostGates: readonly Gate[] = this.gates.all;

  constructor(
    readonly runId: string,
    readonly input: RunInput,
    /** Whether the way of the start expects a person. */
    private readonly attendedByStart: boolean,
  ) {
    this.people = {
      title: titleOf(input),
      pauseRequested: false,
      pausedAtStatus: null,
      abort: null,
      closing: false,
      notes: [],
      waiting: { kind: 'host', until: null },
      approvalRequestedFromStatus: null,
    };
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

  get policy(): RunPolicy {
    return this.open.policy;
  }

  /** The stage's own agent; a stage without one is never entered. */
  agentOf(stage: TurnStage): StageAgent {
    const agent = this.policy.agentOf[stage];
    if (agent === null) throw new Error(`nobody works in ${stage}`);
    return agent;
  }

  /** Source: V-49. */
  get attended(): boolean {
    return this.opened?.policy.attended ?? this.attendedByStart;
  }

  /** The branch's tip. */
  get head(): string {
    return this.facts.headSha ?? this.open.baseSha;
  }

  get ref(): FrozenRunRef {
    return { runId: this.runId, repoKey: this.open.repoKey, frozen: this.open.frozen };
  }

  adopt(opened: OpenRunResult): void {
    this.opened = opened;
    this.people.waiting = null;
    this.facts.headSha = opened.resumed?.commit ?? opened.baseSha;
    this.lifecycle = createLifecycle(opened.policy.stages);
    if (opened.resumed !== null) this.takeOver(opened.resumed);
    this.observe(opened.observations);
  }

  /** A review belongs to a commit, so one of this very commit still holds (V-131). */
  private takeOver({ wroteCode, context, approved, commit }: ResumedRun): void {
    this.facts.wroteCode = wroteCode;
    this.facts.context = context;
    if (!approved) return;
    this.facts.finalDecision = 'APPROVED';
    this.facts.evidence.review = commit;
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

  /** The texts that wait for a turn, once. */
  takeNotes(): readonly PersonNote[] {
    const { notes } = this.people;
    this.people.notes = [];
    return notes;
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
    const events = firstOf(this.events.slice(this.hostSeq), MAX_BATCH_CHARS);
    this.handedSeq = Math.max(this.handedSeq, events.at(-1)?.seq ?? 0);
    return { events, view: this.view(), gates: this.gates.all === this.hostGates ? null : this.gates.all };
  }

  /** A host that holds less than before (a person deleted the file) is sent everything again. `sent`: the batch that was answered. */
  acknowledge(journalSeq: number, sent: JournalBatch): void {
    this.acknowledged += 1;
    this.hostSeq = Math.min(journalSeq, this.events.length);
    if (sent.gates !== null) this.hostGates = sent.gates;
  }

  /** Events that no activity was handed yet. */
  get hasUnsent(): boolean {
    return this.handedSeq < this.events.length;
  }

  /** Counts the answers of hosts. */
  get acknowledgements(): number {
    return this.acknowledged;
  }

  view(): RunView {
    const { facts, opened, people } = this;
    const gate = this.gates.open;
    const resumed = opened?.resumed ?? null;
    return {
      runId: this.runId,
      workflowId: workflowInfo().workflowId,
      task: this.input.task,
      title: people.title,
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
      pauseRequested: people.pauseRequested,
      pausedAtStatus: people.pausedAtStatus,
      pendingApprovalId: gate?.id ?? null,
      approvalRequestedFromStatus: people.approvalRequestedFromStatus,
      waiting: isTerminal(this.status) ? null : people.waiting,
      blockedReason: facts.blockedReason,
      error: facts.error,
      resumedFrom: resumed && { sourceRunId: resumed.sourceRunId, fromStage: resumed.fromStage },
      merge: facts.outcome === 'merge_ready' && facts.wroteCode ? 'unmerged' : 'none',
      agent: facts.agent,
      startedAt: this.startedAt,
      updatedAt: this.updatedAt,
      seq: this.events.length,
    };
  }

  details(): RunDetails {
    return {
      policy: this.opened?.policy ?? null,
      attended: this.attended,
      used: this.used,
      stages: stageUseOf(this.events),
      ledger: this.opened === null || this.policy.budget.day === null ? null : budgetWorkflowId(this.opened.project),
      gates: this.gates.all,
      waitingNotes: this.people.notes.length,
    };
  }
}

/** One redacted line for people. */
export function sentence(text: string): string {
  const line = redact(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_SENTENCE_CHARS ? line : `${line.slice(0, MAX_SENTENCE_CHARS - 1)}…`;
}
