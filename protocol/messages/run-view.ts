/** The run view: the answer of Query `status` and the content of state.json. Source: docs/requirements/vibestrate.md "state.json". */

import type { BudgetAmounts } from '../run/budget-limits.js';
import type { Gate } from '../run/gate.js';
import type { RunStatus } from '../run/lifecycle.js';
import type { BlockedReason, ReviewDecision, RunOutcome, VerificationDecision } from '../run/outcomes.js';
import type { Adapter, RunPolicy } from '../run/policy.js';
import type { Stage } from '../run/stages.js';
import type { StageUse } from './stage-use.js';

export type MergeState = 'none' | 'unmerged' | 'queued' | 'merged' | 'abandoned';

/** Absent values are null, never missing. Times are ISO 8601 in UTC. */
export interface RunView {
  readonly runId: string;
  readonly workflowId: string;
  readonly task: string;
  readonly title: string;
  readonly preset: string | null;
  readonly status: RunStatus;
  readonly outcome: RunOutcome | null;
  readonly stage: Stage | null;
  readonly repo: string;
  readonly worktree: string | null;
  readonly host: string | null;
  readonly branch: string | null;
  readonly baseBranch: string | null;
  readonly baseSha: string | null;
  readonly headSha: string | null;
  readonly reviewLoopCount: number;
  readonly maxReviewLoops: number;
  readonly finalDecision: ReviewDecision | null;
  readonly verification: VerificationDecision | null;
  readonly pauseRequested: boolean;
  readonly pausedAtStatus: RunStatus | null;
  readonly pendingApprovalId: string | null;
  readonly approvalRequestedFromStatus: RunStatus | null;
  /** `account`: at a quota gate, `<provider>/<account>`. */
  readonly waiting: { readonly kind: string; readonly until: string | null; readonly account: string | null } | null;
  readonly blockedReason: BlockedReason | null;
  /** One sentence, and what to look at. */
  readonly error: string | null;
  readonly resumedFrom: { readonly sourceRunId: string; readonly fromStage: Stage } | null;
  readonly merge: MergeState;
  /** Who works in the current stage; `adapter` tells a scripted agent from a real one. */
  readonly agent: { readonly name: string; readonly adapter: Adapter } | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** The last event of the journal that this view includes. */
  readonly seq: number;
}

/** What a run used of its budget, failed attempts included. */
export interface BudgetUse extends BudgetAmounts {
  /** How often a person granted the whole budget again. */
  readonly grants: number;
}

/** The answer of Query `details`. */
export interface RunDetails {
  /** Null until the run is open. */
  readonly policy: RunPolicy | null;
  readonly attended: boolean;
  readonly used: BudgetUse;
  readonly stages: readonly StageUse[];
  /** Workflow id of what keeps the budget of the day; null: the run has no such budget. */
  readonly ledger: string | null;
  /** Oldest first. */
  readonly gates: readonly Gate[];
  /** Texts that wait for the next turn. */
  readonly waitingNotes: number;
}
