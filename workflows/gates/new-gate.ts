/** A gate as it opens, and what the journal says of one. Pure. */
import type { ApprovalData } from '../../protocol/messages/event-data.js';
import type { Gate, GateStage } from '../../protocol/run/gate.js';
import type { RunPolicy } from '../../protocol/run/policy.js';
import type { Stage } from '../../protocol/run/stages.js';
import type { GateCause } from './gate-book.js';
import type { GateTimes } from './gate-clock.js';

/** What its owner gives to each of its gates. */
export interface GateTerms {
  readonly policy: { readonly gates: GateTimes & Pick<RunPolicy['gates'], 'expireMs' | 'unattendedExpireMs'> };
  readonly attended: boolean;
  /** What a decision is about. */
  readonly subject: Pick<Gate, 'runId' | 'commit' | 'round'>;
}

export interface GateToOpen {
  readonly stage: GateStage;
  readonly cause: GateCause;
  readonly alsoRequiredByPolicy: boolean;
  readonly question: boolean;
  readonly changesGoTo: Stage | null;
}

/** Unit of `now`: ms since 1970. */
export function newGate(
  { policy, attended, subject }: GateTerms,
  { stage, cause, alsoRequiredByPolicy, question, changesGoTo }: GateToOpen,
  now: number,
): Omit<Gate, 'id'> {
  const { runId, commit, round } = subject;
  const { expireMs, unattendedExpireMs } = policy.gates;
  const expiresInMs = attended ? expireMs : unattendedExpireMs;
  return {
    ...cause,
    runId,
    stage,
    status: 'pending',
    alsoRequiredByPolicy,
    commit,
    round,
    createdAt: new Date(now).toISOString(),
    expiresAt: expiresInMs === null ? null : new Date(now + expiresInMs).toISOString(),
    resolvedAt: null,
    resolvedBy: null,
    decisionNote: null,
    guidance: null,
    question,
    changesGoTo,
  };
}

export function approvalData({
  id: gate,
  stage,
  source,
  commit,
  resolvedBy: by,
  decisionNote: note,
}: Gate): ApprovalData {
  return { gate, stage, source, commit, by, note };
}
