/**
 * What the journal's events carry in `data`, so that writers (workflow, activities) and readers (report, metrics, views) agree.
 * Fields are only ever added. These are type aliases on purpose: an interface has no implicit index signature, so it is no `JsonObject`.
 */
import type { StepStatus } from '../admission/next-step.js';
import type { StepVerb } from '../admission/plan-steps.js';
import type { BudgetLimit } from '../run/budget-limits.js';
import type { GateSource, GateStage } from '../run/gate.js';
import type { RunStatus } from '../run/lifecycle.js';
import type {
  BlockedReason,
  CommandResult,
  DiffRule,
  ReviewDecision,
  RunOutcome,
  TurnOutcomeKind,
  Verdict,
  VerificationDecision,
} from '../run/outcomes.js';
import type { Adapter } from '../run/policy.js';
import type { Stage, TurnStage } from '../run/stages.js';
import type { TurnName } from '../run/turn-name.js';
import type { EventType, Observation } from './journal.js';
import type { MessageEvent } from './message-rows.js';
import type { AfterOverflow } from './messages.js';

export type StateChangedData = { readonly from: RunStatus; readonly to: RunStatus; readonly round: number };

export type TurnStartedData = {
  readonly stage: TurnStage;
  readonly round: number;
  /** Of the turn's place. */
  readonly seq: number;
  readonly agent: string;
  readonly adapter: Adapter;
  readonly model: string | null;
};

/** Of `turn.completed` and `turn.failed`: each is one ended attempt. Tokens and cost are null where the adapter does not tell. */
export type TurnEndedData = TurnStartedData & {
  readonly exitCode: number | null;
  readonly outcome: TurnOutcomeKind;
  readonly durationMs: number;
  readonly tokensIn: number | null;
  readonly tokensOut: number | null;
  readonly costMicroUsd: number | null;
  /** Tool calls that the agent was refused. */
  readonly denied: number;
  /** The prompt left out some of what the turn was to be given. */
  readonly promptCut: boolean;
  /** False: no agent was, since its account is closed or its worktree is not the run's own. */
  readonly started: boolean;
};

/** Of a step of the run's plan. `attempt`: over all runs of the task. */
export type StepChangedData = {
  /** The step's own, in the plan. */
  readonly step: number;
  readonly verb: StepVerb;
  readonly status: StepStatus;
  readonly attempt: number;
  /** Where the branch stands. */
  readonly head: string;
};

export type ValidationStartedData = { readonly round: number; readonly commit: string; readonly commands: number };

export type CommandCompletedData = { readonly [Field in keyof CommandResult]: CommandResult[Field] } & {
  readonly round: number;
};

/** `source`: `validation` where red checks made the decision without a turn. */
export type DecisionSource = 'agent' | 'validation';

type DecisionData<Value> = {
  readonly value: Value;
  readonly source: DecisionSource;
  readonly commit: string;
  readonly round: number;
};

export type ReviewDecisionData = DecisionData<ReviewDecision>;
export type VerificationDecisionData = DecisionData<VerificationDecision>;

/** `files` is a count: the list is in git. */
export type GitCommittedData = {
  readonly commit: string;
  readonly tree: string;
  readonly stage: TurnStage;
  readonly files: number;
  readonly added: number;
  readonly deleted: number;
};

/** Of `run.completed`, `run.failed` and `run.aborted`. `stage`, `turn` and `errorClass` name the end of a failed run (V-83). */
export type RunEndedData = {
  readonly outcome: RunOutcome;
  readonly blockedReason: BlockedReason | null;
  readonly stage: Stage | null;
  readonly turn: number | null;
  readonly errorClass: string | null;
  readonly error: string | null;
  readonly verdict: Verdict | null;
};

/** `read_only`: a turn that may not write changed the tree (V-127). `record`: a record of another input was found and moved aside.
 * `own_git`: what a person's git obeys in the worktree was not as the engine made it. `stage` is null where it was found outside of one. */
export type PolicyViolationData = {
  readonly rule: DiffRule | 'read_only' | 'record' | 'own_git';
  readonly stage: Stage | null;
  readonly seq: number;
  readonly paths: readonly string[];
};

/** Of every `approval.*` event. `by`, `note` and `at` are null where nobody decided. */
export type ApprovalData = {
  readonly gate: string;
  readonly stage: GateStage;
  readonly source: GateSource;
  readonly commit: string | null;
  readonly by: string | null;
  readonly note: string | null;
};

/** Of the events that a message leaves. `text`: the steer, the title, the reason or the note. */
export type MessageData = { readonly by: string | null; readonly text: string | null };

export type MessageRefusedData = { readonly name: string; readonly by: string | null; readonly why: string };

/** The turn is taken again, after a wait where `waitMs` is above 0. `retry` counts from 1 within its class. */
export type TurnRetriedData = {
  readonly stage: TurnName;
  readonly seq: number;
  readonly outcome: TurnOutcomeKind;
  readonly retry: number;
  readonly waitMs: number;
  /** Of a turn that was too long for its agent. */
  readonly afterOverflow: AfterOverflow | null;
};

export type TurnFallbackData = {
  readonly stage: TurnName;
  readonly seq: number;
  readonly from: string;
  readonly to: string;
};

/** With `day` and `resetsAt` it is the budget of that day, for all runs of the project; where both are null, the run's own. */
export type BudgetLimitData = {
  readonly limit: BudgetLimit;
  readonly used: number;
  readonly allowed: number;
  readonly day: string | null;
  readonly resetsAt: string | null;
};

/** `until`: ISO 8601, UTC. */
export type UsageLimitData = { readonly until: string | null; readonly agent: string };

export type NotificationData = {
  readonly id: string;
  readonly kind: string;
  readonly sink: string;
  readonly error: string | null;
};

/** Events whose `data` readers rely on; the other types carry what their writer likes. */
export type EventDataByType = { readonly [Type in MessageEvent]: MessageData } & {
  readonly 'state.changed': StateChangedData;
  readonly 'turn.started': TurnStartedData;
  readonly 'turn.completed': TurnEndedData;
  readonly 'turn.failed': TurnEndedData;
  readonly 'turn.retried': TurnRetriedData;
  readonly 'step.changed': StepChangedData;
  readonly 'validation.started': ValidationStartedData;
  readonly 'validation.command.completed': CommandCompletedData;
  readonly 'review.decision': ReviewDecisionData;
  readonly 'verification.decision': VerificationDecisionData;
  readonly 'git.committed': GitCommittedData;
  readonly 'run.completed': RunEndedData;
  readonly 'run.failed': RunEndedData;
  readonly 'run.aborted': RunEndedData;
  readonly 'policy.violation': PolicyViolationData;
  readonly 'approval.requested': ApprovalData;
  readonly 'approval.approved': ApprovalData;
  readonly 'approval.rejected': ApprovalData;
  readonly 'approval.changes_requested': ApprovalData;
  readonly 'approval.expired': ApprovalData;
  readonly 'approval.reminded': ApprovalData;
  readonly 'approval.escalated': ApprovalData;
  readonly 'message.refused': MessageRefusedData;
  readonly 'turn.fallback': TurnFallbackData;
  readonly 'budget.limit': BudgetLimitData;
  readonly 'usage_limit.waiting': UsageLimitData;
  readonly 'usage_limit.cleared': UsageLimitData;
  readonly 'notification.sent': NotificationData;
  readonly 'notification.failed': NotificationData;
};

export type TypedEventType = keyof EventDataByType & EventType;

/** An observation whose data is checked against its type; every one is an `Observation`. */
export type TypedObservation<Type extends TypedEventType> = Omit<Observation, 'type' | 'data'> & {
  readonly type: Type;
  readonly data: EventDataByType[Type];
};
