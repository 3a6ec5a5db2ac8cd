/**
 * What a run knows of itself: lifecycle, facts, gates and journal, and the run view made of them.
 * The workflow owns the truth; files, memo and details are projections of this state.
 */
import { uuid4, workflowInfo } from '@temporalio/workflow';
import { budgetWorkflowId } from '../../protocol/actors/day-budget.js';
import type {
  FrozenRunRef,
  OpenRunResult,
  PersonNote,
  ResumedRun,
  RunEvidence,
  RunInput,
  TurnContext,
} from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { BudgetUse, RunDetails, RunView } from '../../protocol/messages/run-view.js';
import { stageUseOf } from '../../protocol/messages/stage-use.js';
import type { Gate } from '../../protocol/run/gate.js';
import { createLifecycle, isTerminal, type Lifecycle, type RunStatus } from '../../protocol/run/lifecycle.js';
import type {
  BlockedReason,
  ReviewDecision,
  RunOutcome,
  ValidationOutcome,
  VerificationDecision,
} from '../../protocol/run/outcomes.js';
import type { Place } from '../../protocol/run/place.js';
import type { RunPolicy, StageAgent } from '../../protocol/run/policy.js';
import { STAGES, type Stage, type TurnStage } from '../../protocol/run/stages.js';
import { GateBook } from '../gates/gate-book.js';
import { Journal } from '../journal/journal.js';
import type { NotifierOwner } from '../journal/notify.js';
import { NOTHING_USED } from '../turns/budget.js';
import { StepWork } from './work/step-work.js';

/** Facts that stages find out. Mutable, and mutated by workflow code only. */
class RunFacts {
  outcome: RunOutcome | null = null;
  blockedReason: BlockedReason | null = null;
  error: string | null = null;
  stage: Stage | null = null;
  agent: RunView['agent'] = null;
  headSha: string | null = null;
  /** Seq of the last turn's place. */
  turn: number | null = null;
  /** Entries into fixing. */
  round = 0;
  /** Those that a person asked for: they use up no round of the policy. */
  personRounds = 0;
  finalDecision: ReviewDecision | null = null;
  verification: VerificationDecision | null = null;
  validation: ValidationOutcome['kind'] | null = null;
  /** Commits that the evidence is about; evidence about another tree does not count (V-36). */
  evidence: Record<'validation' | 'review' | 'verification', string | null> = {
    validation: null,
    review: null,
    verification: null,
  };
  /** What the checks of `evidence.validation` came to. */
  checked: RunEvidence | null = null;
  wroteCode = false;
  readOnlyViolations = 0;
  diffViolations = 0;
  writeTurn: Place | null = null;
  context: TurnContext = {
    plan: null,
    architecture: null,
    validation: null,
    review: null,
    findings: null,
    validationOutput: null,
  };
}

/** What people asked of the run. Mutated by messages and boundaries only. */
class PeopleState {
  pauseRequested = false;
  pausedAtStatus: RunStatus | null = null;
  /** Set by an accepted abort; native cancellation leaves it null. */
  abort: { readonly by: string | null; readonly reason: string | null } | null = null;
  /** Texts for the next turn, oldest first. */
  notes: PersonNote[] = [];
  approvalRequestedFromStatus: RunStatus | null = null;

  constructor(public title: string) {}
}

export class RunState {
  readonly facts = new RunFacts();
  /** `full`: the run ends at the next boundary or wait; `ended`: that is why it is being ended. See full-history.ts. */
  history: 'free' | 'full' | 'ended' = 'free';
  readonly gates = new GateBook();
  readonly people: PeopleState;
  readonly journal = new Journal<RunView>(this);
  waiting: RunView['waiting'] = { kind: 'host', until: null, account: null };
  /** Waits for a usage limit. */
  usageWaits = 0;
  used: BudgetUse = NOTHING_USED;
  opened: OpenRunResult | null = null;
  /** Null: its change is made by one turn. */
  steps: StepWork | null = null;
  /** The outcome is decided: every message is refused. */
  isClosing = false;
  private readonly startedAt = this.journal.updatedAt;
  private lifecycle: Lifecycle = createLifecycle(STAGES);
  private places = 0;

  constructor(
    readonly runId: string,
    readonly input: RunInput,
    /** Whether the way of the start expects a person. */
    private readonly attendedByStart: boolean,
  ) {
    this.people = new PeopleState(titleOf(input));
    this.journal.note('run.created', 'run accepted', { task: titleOf(input) });
  }

  get status(): RunStatus {
    return this.lifecycle.status;
  }

  get isOpen(): boolean {
    return this.opened !== null;
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

  /** Whose day budget it uses. */
  get project(): string {
    return this.open.project;
  }

  get ref(): FrozenRunRef {
    return { runId: this.runId, repoKey: this.open.repoKey, frozen: this.open.frozen };
  }

  adopt(opened: OpenRunResult): void {
    this.opened = opened;
    this.waiting = null;
    this.facts.headSha = opened.resumed?.commit ?? opened.baseSha;
    this.lifecycle = createLifecycle(opened.policy.stages);
    if (opened.resumed !== null) this.takeOver(opened.resumed);
    if (opened.plan != null) this.facts.context = { ...this.facts.context, plan: opened.plan };
    if (opened.steps !== undefined) this.steps = new StepWork(opened.steps, opened.policy.execute ?? {});
    this.journal.observe(opened.observations);
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
    if (from === 'waiting_for_approval') {
      this.people.approvalRequestedFromStatus = null;
      this.waiting = null;
    }
    this.journal.note('state.changed', `${from} → ${to}`, { from, to, round: this.facts.round });
  }

  /** What a decision at a gate is about. */
  get subject(): Pick<Gate, 'runId' | 'commit' | 'round'> {
    return { runId: this.runId, commit: this.head, round: this.facts.round };
  }

  standAt({ question, expiresAt }: Gate): void {
    this.people.approvalRequestedFromStatus = this.status;
    this.move('waiting_for_approval');
    this.waiting = { kind: question ? 'answer' : 'approval', until: expiresAt, account: null };
  }

  /** Does again what it did before the gate. */
  goOn(): void {
    const { approvalRequestedFromStatus: before } = this.people;
    if (before !== null) this.move(before);
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

  /** A new place each time: the token is drawn here, so that a reset never meets an old record. */
  nextPlace(): Place {
    this.places += 1;
    return { runId: this.runId, seq: this.places, token: uuid4() };
  }

  get audience(): NotifierOwner['audience'] {
    if (this.opened === null || this.policy.sinks.length === 0) return null;
    return { hostId: this.opened.hostId, run: this.ref, sinks: this.policy.sinks };
  }

  about(): ReturnType<NotifierOwner['about']> {
    const { runId, title, repo, branch, status, stage, outcome, blockedReason, pendingApprovalId: gate } = this.view();
    return { runId, title, repo, branch, status, stage, outcome, blockedReason, gate };
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
      waiting: isTerminal(this.status) ? null : this.waiting,
      blockedReason: facts.blockedReason,
      error: facts.error,
      resumedFrom: resumed && { sourceRunId: resumed.sourceRunId, fromStage: resumed.fromStage },
      merge: facts.outcome === 'merge_ready' && facts.wroteCode ? 'unmerged' : 'none',
      agent: facts.agent,
      startedAt: this.startedAt,
      updatedAt: this.journal.updatedAt,
      seq: this.journal.all.length,
    };
  }

  details(): RunDetails {
    return {
      policy: this.opened?.policy ?? null,
      attended: this.attended,
      used: this.used,
      stages: stageUseOf(this.journal.all),
      ledger: this.opened === null || this.policy.budget.day === null ? null : budgetWorkflowId(this.opened.project),
      gates: this.gates.all,
      waitingNotes: this.people.notes.length,
    };
  }
}
